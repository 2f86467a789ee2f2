// What modules built with `config.verify` have besides (CPU only): every index of an array is checked. The first one outside
// is noted with its module and site, the number of the access in the module, and goes to a spare element; the host looks
// afterwards.

// In the library of verify.py, shared by all modules of the process.
extern "C" struct wc_fault_t {
    int taken;
    int site;
    int dimension;
    int extent;
    wc::int64 index;
    wc::uint64 module;
} wc_fault;

namespace wc {

template <class T>
WC_INLINE bool is_inside(const array_t<T>& a, int site, int dimension, int64 index) {
    if (index >= 0 && index < a.shape[dimension]) return true;
    if (__atomic_exchange_n(&wc_fault.taken, 1, __ATOMIC_RELAXED) == 0) {
        wc_fault.site = site;
        wc_fault.dimension = dimension;
        wc_fault.extent = a.shape[dimension];
        wc_fault.index = index;
        wc_fault.module = WC_MODULE;
    }
    return false;
}

template <class T>
WC_INLINE T& spare() {
    static T element;
    return element = T{};
}

template <class T>
WC_INLINE T& checked(int site, const array_t<T>& a, int64 i) {
    return is_inside(a, site, 0, i) ? at(a, i) : spare<T>();
}
template <class T>
WC_INLINE T& checked(int site, const array_t<T>& a, int64 i, int64 j) {
    return is_inside(a, site, 0, i) && is_inside(a, site, 1, j) ? at(a, i, j) : spare<T>();
}
template <class T>
WC_INLINE T& checked(int site, const array_t<T>& a, int64 i, int64 j, int64 k) {
    return is_inside(a, site, 0, i) && is_inside(a, site, 1, j) && is_inside(a, site, 2, k) ? at(a, i, j, k)
                                                                                          : spare<T>();
}
template <class T>
WC_INLINE T& checked(int site, const array_t<T>& a, int64 i, int64 j, int64 k, int64 l) {
    const bool inside = is_inside(a, site, 0, i) && is_inside(a, site, 1, j) && is_inside(a, site, 2, k);
    return inside && is_inside(a, site, 3, l) ? at(a, i, j, k, l) : spare<T>();
}

}  // namespace wc
