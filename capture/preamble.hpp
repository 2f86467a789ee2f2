// The runtime that every emitted module starts with: scalar types, the launch ABI, and the functions that kernels call.
// No headers; the same text for g++, clang++ and NVRTC. Everything that depends on the target stands in the first block.

#if defined(__CUDACC__)
#define WC_CUDA 1
#define WC_INLINE __device__ __forceinline__
#define WC_BUILTIN(name) ::name
#else
#define WC_CUDA 0
#define WC_INLINE inline __attribute__((always_inline))
#define WC_NOINLINE static __attribute__((noinline))
#define WC_EXPORT extern "C" __attribute__((visibility("default")))
#define WC_RESTRICT __restrict__
#define WC_BUILTIN(name) __builtin_##name
#endif

namespace wc {

typedef signed char int8;
typedef unsigned char uint8;
typedef short int16;
typedef unsigned short uint16;
typedef unsigned int uint32;
typedef long long int64;
typedef unsigned long long uint64;

// ---- ABI ----------------------------------------------------------------------------------------------------------

template <int rank>
struct launch_bounds {
    uint32 shape[rank];  // the last dimension is the fastest
    alignas(8) uint64 size;
    uint64 coord_mult;  // threads per coordinate
};

template <class T>
struct array_t {
    T* data;
    T* grad;
    int shape[4];
    int strides[4];  // bytes
    uint16 ndim;
    uint16 flags;
};

static_assert(sizeof(launch_bounds<1>) == 24 && sizeof(launch_bounds<2>) == 24, "ABI");
static_assert(sizeof(launch_bounds<3>) == 32 && sizeof(launch_bounds<4>) == 32, "ABI");
static_assert(sizeof(array_t<float>) == 56, "ABI");

// ---- thread indices -----------------------------------------------------------------------------------------------

template <int rank>
WC_INLINE void coordinates(const launch_bounds<rank>& bounds, uint64 index, int* c) {
    if (bounds.coord_mult > 1) index /= bounds.coord_mult;
    for (int d = rank - 1; d > 0; --d) {
        c[d] = int(index % bounds.shape[d]);
        index /= bounds.shape[d];
    }
    c[0] = int(index);
}

#if WC_CUDA

// Index of a lean launch: blocks of one dimension on a grid of up to three.
WC_INLINE uint64 linear_index() {
    const uint64 block = (uint64(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    return block * blockDim.x + threadIdx.x;
}

// The replayer may start a kernel while the one before it still runs: set-up overlaps, work on memory waits here.
WC_INLINE void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// From here on blocks of the next kernel may take free places. Pays for launches of few blocks; others are slowed down.
WC_INLINE void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

#else

// Visits [begin, end) thread by thread; divides once.
template <int rank>
struct thread_cursor {
    const launch_bounds<rank>& bounds;
    uint64 left, repeats, repeat;
    int c[rank];

    WC_INLINE thread_cursor(const launch_bounds<rank>& b, uint64 begin, uint64 end) : bounds(b), left(end - begin) {
        repeats = b.coord_mult > 1 ? b.coord_mult : 1;
        repeat = repeats > 1 ? begin % repeats : 0;
        coordinates(b, begin, c);
    }
    WC_INLINE void next() {
        --left;
        if (++repeat < repeats) return;
        repeat = 0;
        for (int d = rank - 1; d > 0; --d) {
            if (uint32(++c[d]) < bounds.shape[d]) return;
            c[d] = 0;
        }
        ++c[0];
    }
};

// Visits [begin, end) as pieces of rows along the last dimension; divides once. For coord_mult 1.
template <int rank>
struct row_cursor {
    const launch_bounds<rank>& bounds;
    uint64 left;
    int c[rank];  // c[rank - 1]: where the piece begins
    int last;     // where it ends

    WC_INLINE row_cursor(const launch_bounds<rank>& b, uint64 begin, uint64 end) : bounds(b), left(end - begin) {
        coordinates(b, begin, c);
        cut();
    }
    WC_INLINE void cut() {
        const uint64 room = rank == 1 ? left : uint64(bounds.shape[rank - 1]) - uint64(c[rank - 1]);
        last = c[rank - 1] + int(room < left ? room : left);
    }
    WC_INLINE void next() {
        left -= uint64(last - c[rank - 1]);
        if (left == 0) return;
        c[rank - 1] = 0;
        for (int d = rank - 2; d > 0; --d) {
            if (uint32(++c[d]) < bounds.shape[d]) return cut();
            c[d] = 0;
        }
        if (rank > 1) ++c[0];
        cut();
    }
};

// The part [first, last) of a row piece where every index that a kernel clamps is inside its limits anyway.
struct interior_range {
    int first, last;

    WC_INLINE interior_range(int begin, int end) : first(begin), last(end) {}
    WC_INLINE void at_least(int64 low) {
        if (first < low) first = low < last ? int(low) : last;
    }
    WC_INLINE void at_most(int64 high) {
        if (last > high + 1) last = high + 1 > first ? int(high + 1) : first;
    }
};

template <class T>
WC_INLINE bool is_packed(const array_t<T>& a) {
    return a.ndim > 0 && a.strides[a.ndim - 1] == int(sizeof(T));
}

template <class T>
WC_INLINE void extent(const array_t<T>& a, uint64& low, uint64& high) {
    low = uint64(a.data);
    high = low + sizeof(T);
    for (int d = 0; d < a.ndim; ++d) high += uint64(a.shape[d] > 0 ? a.shape[d] - 1 : 0) * uint64(a.strides[d]);
}

template <class T, class U>
WC_INLINE bool is_disjoint(const array_t<T>& a, const array_t<U>& b) {
    uint64 a_low, a_high, b_low, b_high;
    extent(a, a_low, a_high);
    extent(b, b_low, b_high);
    return a_high <= b_low || b_high <= a_low;
}

#endif

// ---- arrays -------------------------------------------------------------------------------------------------------

template <class T>
WC_INLINE T& at(const array_t<T>& a, int64 i) {
    return *(T*)((char*)a.data + i * a.strides[0]);
}
template <class T>
WC_INLINE T& at(const array_t<T>& a, int64 i, int64 j) {
    return *(T*)((char*)a.data + i * a.strides[0] + j * a.strides[1]);
}
template <class T>
WC_INLINE T& at(const array_t<T>& a, int64 i, int64 j, int64 k) {
    return *(T*)((char*)a.data + i * a.strides[0] + j * a.strides[1] + k * a.strides[2]);
}
template <class T>
WC_INLINE T& at(const array_t<T>& a, int64 i, int64 j, int64 k, int64 l) {
    return *(T*)((char*)a.data + i * a.strides[0] + j * a.strides[1] + k * a.strides[2] + l * a.strides[3]);
}

// ---- numbers ------------------------------------------------------------------------------------------------------

WC_INLINE float fma(float a, float b, float c) { return WC_BUILTIN(fmaf)(a, b, c); }
WC_INLINE double fma(double a, double b, double c) { return WC_BUILTIN(fma)(a, b, c); }

#define WC_MATH_1(name)                                                   \
    WC_INLINE float name(float x) { return WC_BUILTIN(name##f)(x); }      \
    WC_INLINE double name(double x) { return WC_BUILTIN(name)(x); }
#define WC_MATH_2(name)                                                          \
    WC_INLINE float name(float x, float y) { return WC_BUILTIN(name##f)(x, y); } \
    WC_INLINE double name(double x, double y) { return WC_BUILTIN(name)(x, y); }
WC_MATH_1(sqrt)
WC_MATH_1(cbrt)
WC_MATH_1(sin)
WC_MATH_1(cos)
WC_MATH_1(tan)
WC_MATH_1(asin)
WC_MATH_1(acos)
WC_MATH_1(atan)
WC_MATH_1(sinh)
WC_MATH_1(cosh)
WC_MATH_1(tanh)
WC_MATH_1(exp)
WC_MATH_1(exp2)
WC_MATH_1(log)
WC_MATH_1(log2)
WC_MATH_1(log10)
WC_MATH_1(floor)
WC_MATH_1(ceil)
WC_MATH_1(round)
WC_MATH_1(rint)
WC_MATH_1(trunc)
WC_MATH_2(pow)
WC_MATH_2(atan2)
#undef WC_MATH_1
#undef WC_MATH_2

WC_INLINE float abs(float x) { return WC_BUILTIN(fabsf)(x); }
WC_INLINE double abs(double x) { return WC_BUILTIN(fabs)(x); }
template <class T>
WC_INLINE T abs(T x) {
    return x < T(0) ? T(T(0) - x) : x;
}
template <class T>
WC_INLINE T sign(T x) {
    return x < T(0) ? T(-1) : T(1);
}
template <class T>
WC_INLINE T min(T a, T b) {
    return a < b ? a : b;
}
template <class T>
WC_INLINE T max(T a, T b) {
    return a > b ? a : b;
}
template <class T>
WC_INLINE T clamp(T x, T low, T high) {
    return min(max(x, low), high);
}
template <class T>
WC_INLINE T where(bool condition, T if_true, T if_false) {
    return condition ? if_true : if_false;
}
template <class T>
WC_INLINE T lerp(T a, T b, T t) {
    return a * (T(1) - t) + b * t;
}
template <class T>
WC_INLINE T smoothstep(T low, T high, T x) {
    const T t = clamp((x - low) / (high - low), T(0), T(1));
    return t * t * (T(3) - T(2) * t);
}
template <class T>
WC_INLINE T power2(T x) {
    return T(x * x);
}
template <class T>
WC_INLINE T power3(T x) {
    return T(x * x * x);
}
template <class T>
WC_INLINE T power4(T x) {
    const T square = T(x * x);
    return T(square * square);
}
template <class T>
WC_INLINE T frac(T x) {
    return x - trunc(x);
}
template <class T>
WC_INLINE T degrees(T x) {
    return x * T(57.29577951308232);
}
template <class T>
WC_INLINE T radians(T x) {
    return x * T(0.017453292519943295);
}
template <class T>
WC_INLINE bool isnan(T x) {
    return x != x;
}
template <class T>
WC_INLINE bool isfinite(T x) {
    return x - x == T(0);
}
template <class T>
WC_INLINE bool isinf(T x) {
    return x == x && !isfinite(x);
}
template <class T>
WC_INLINE T popc(T x) {
    int count = 0;
    for (uint64 bits = sizeof(T) == 8 ? uint64(x) : uint64(x) & ((uint64(1) << sizeof(T) * 8 % 64) - 1); bits; bits &= bits - 1) ++count;
    return T(count);
}
WC_INLINE float float_of_bits(uint32 bits) {
    union {
        uint32 u;
        float f;
    } both = {bits};
    return both.f;
}

// Integer division never traps: x // 0 and x % 0 are 0, and the one quotient that doesn't fit wraps around.
template <class T>
WC_INLINE T quotient(T a, T b) {
    return b == T(-1) && T(-1) < T(0) ? T(uint64(0) - uint64(a)) : T(a / b);
}
template <class T>
WC_INLINE T mod(T a, T b) {
    if (b == T(0) || (b == T(-1) && T(-1) < T(0))) return T(0);
    return T(a % b);
}
WC_INLINE float mod(float a, float b) { return WC_BUILTIN(fmodf)(a, b); }
WC_INLINE double mod(double a, double b) { return WC_BUILTIN(fmod)(a, b); }
template <class T>
WC_INLINE T floordiv(T a, T b) {
    if (b == T(0)) return T(0);
    const T q = quotient(a, b);
    return mod(a, b) != T(0) && (a < T(0)) != (b < T(0)) ? T(q - T(1)) : q;
}
WC_INLINE float floordiv(float a, float b) { return floor(a / b); }
WC_INLINE double floordiv(double a, double b) { return floor(a / b); }
template <class T>
WC_INLINE T floormod(T a, T b) {
    const T m = mod(a, b);
    return m != T(0) && (m < T(0)) != (b < T(0)) ? T(m + b) : m;
}

// ---- vectors and matrices -------------------------------------------------------------------------------------------

template <int n, class T>
struct vec_t {
    T c[n];
    WC_INLINE T& operator[](int i) { return c[i]; }
    WC_INLINE const T& operator[](int i) const { return c[i]; }
};

#define WC_EACH(expression)                        \
    vec_t<n, T> r;                                 \
    for (int i = 0; i < n; ++i) r.c[i] = expression; \
    return r;
#define WC_VECTOR template <int n, class T> WC_INLINE vec_t<n, T>
WC_VECTOR splat(T s) { WC_EACH(s) }
WC_VECTOR operator+(const vec_t<n, T>& a, const vec_t<n, T>& b) { WC_EACH(a.c[i] + b.c[i]) }
WC_VECTOR operator-(const vec_t<n, T>& a, const vec_t<n, T>& b) { WC_EACH(a.c[i] - b.c[i]) }
WC_VECTOR operator-(const vec_t<n, T>& a) { WC_EACH(-a.c[i]) }
WC_VECTOR operator*(const vec_t<n, T>& a, T s) { WC_EACH(a.c[i] * s) }
WC_VECTOR operator*(T s, const vec_t<n, T>& a) { WC_EACH(s * a.c[i]) }
WC_VECTOR operator/(const vec_t<n, T>& a, T s) { WC_EACH(a.c[i] / s) }
WC_VECTOR abs(const vec_t<n, T>& a) { WC_EACH(abs(a.c[i])) }
WC_VECTOR sign(const vec_t<n, T>& a) { WC_EACH(sign(a.c[i])) }
WC_VECTOR min(const vec_t<n, T>& a, const vec_t<n, T>& b) { WC_EACH(min(a.c[i], b.c[i])) }
WC_VECTOR max(const vec_t<n, T>& a, const vec_t<n, T>& b) { WC_EACH(max(a.c[i], b.c[i])) }
WC_VECTOR lerp(const vec_t<n, T>& a, const vec_t<n, T>& b, T t) { WC_EACH(lerp(a.c[i], b.c[i], t)) }
WC_VECTOR clamp(const vec_t<n, T>& x, const vec_t<n, T>& low, const vec_t<n, T>& high) {
    WC_EACH(clamp(x.c[i], low.c[i], high.c[i]))
}
template <int n, class T>
WC_INLINE bool operator==(const vec_t<n, T>& a, const vec_t<n, T>& b) {
    bool same = true;
    for (int i = 0; i < n; ++i) same = same && a.c[i] == b.c[i];
    return same;
}
template <int n, class T>
WC_INLINE bool operator!=(const vec_t<n, T>& a, const vec_t<n, T>& b) {
    return !(a == b);
}
template <int n, class T>
WC_INLINE T dot(const vec_t<n, T>& a, const vec_t<n, T>& b) {
    T sum = a.c[0] * b.c[0];
    for (int i = 1; i < n; ++i) sum = sum + a.c[i] * b.c[i];
    return sum;
}
template <int n, class T>
WC_INLINE T length_sq(const vec_t<n, T>& a) {
    return dot(a, a);
}
template <int n, class T>
WC_INLINE T length(const vec_t<n, T>& a) {
    return sqrt(dot(a, a));
}
WC_VECTOR normalize(const vec_t<n, T>& a) {
    const T size = length(a);
    return size > T(0) ? a / size : vec_t<n, T>{};
}
template <class T>
WC_INLINE vec_t<3, T> cross(const vec_t<3, T>& a, const vec_t<3, T>& b) {
    return {{a.c[1] * b.c[2] - a.c[2] * b.c[1], a.c[2] * b.c[0] - a.c[0] * b.c[2], a.c[0] * b.c[1] - a.c[1] * b.c[0]}};
}
#undef WC_VECTOR
#undef WC_EACH

template <int rows, int columns, class T>
struct mat_t {
    T c[rows][columns];
    WC_INLINE T& operator()(int i, int j) { return c[i][j]; }
    WC_INLINE const T& operator()(int i, int j) const { return c[i][j]; }
};

#define WC_EACH(expression)                    \
    mat_t<m, n, T> r;                          \
    for (int i = 0; i < m; ++i)                \
        for (int j = 0; j < n; ++j) r.c[i][j] = expression; \
    return r;
#define WC_MATRIX template <int m, int n, class T> WC_INLINE mat_t<m, n, T>
WC_MATRIX splat(T s) { WC_EACH(s) }
WC_MATRIX operator+(const mat_t<m, n, T>& a, const mat_t<m, n, T>& b) { WC_EACH(a.c[i][j] + b.c[i][j]) }
WC_MATRIX operator-(const mat_t<m, n, T>& a, const mat_t<m, n, T>& b) { WC_EACH(a.c[i][j] - b.c[i][j]) }
WC_MATRIX operator-(const mat_t<m, n, T>& a) { WC_EACH(-a.c[i][j]) }
WC_MATRIX operator*(const mat_t<m, n, T>& a, T s) { WC_EACH(a.c[i][j] * s) }
WC_MATRIX operator*(T s, const mat_t<m, n, T>& a) { WC_EACH(s * a.c[i][j]) }
WC_MATRIX operator/(const mat_t<m, n, T>& a, T s) { WC_EACH(a.c[i][j] / s) }
WC_MATRIX transpose(const mat_t<n, m, T>& a) { WC_EACH(a.c[j][i]) }
#undef WC_MATRIX
#undef WC_EACH

template <int m, int n, class T>
WC_INLINE vec_t<m, T> operator*(const mat_t<m, n, T>& a, const vec_t<n, T>& x) {
    vec_t<m, T> r;
    for (int i = 0; i < m; ++i) {
        T sum = a.c[i][0] * x.c[0];
        for (int k = 1; k < n; ++k) sum = sum + a.c[i][k] * x.c[k];
        r.c[i] = sum;
    }
    return r;
}
template <int m, int n, int p, class T>
WC_INLINE mat_t<m, p, T> operator*(const mat_t<m, n, T>& a, const mat_t<n, p, T>& b) {
    mat_t<m, p, T> r;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < p; ++j) {
            T sum = a.c[i][0] * b.c[0][j];
            for (int k = 1; k < n; ++k) sum = sum + a.c[i][k] * b.c[k][j];
            r.c[i][j] = sum;
        }
    return r;
}
template <class T>
WC_INLINE T determinant(const mat_t<2, 2, T>& a) {
    return a.c[0][0] * a.c[1][1] - a.c[0][1] * a.c[1][0];
}
template <class T>
WC_INLINE T determinant(const mat_t<3, 3, T>& a) {
    T sum = T(0);
    for (int j = 0; j < 3; ++j) {
        const int k = (j + 1) % 3, l = (j + 2) % 3;
        sum = sum + a.c[0][j] * (a.c[1][k] * a.c[2][l] - a.c[1][l] * a.c[2][k]);
    }
    return sum;
}
template <class T>
WC_INLINE T determinant(const mat_t<4, 4, T>& a) {
    T sum = T(0);
    for (int j = 0; j < 4; ++j) {
        mat_t<3, 3, T> minor;
        for (int r = 0; r < 3; ++r)
            for (int k = 0; k < 3; ++k) minor.c[r][k] = a.c[r + 1][k < j ? k : k + 1];
        const T term = a.c[0][j] * determinant(minor);
        sum = j % 2 ? sum - term : sum + term;
    }
    return sum;
}

// ---- atomics: they return the old value; floating-point sums depend on the order in which threads arrive ---------------

struct add_op {
    template <class T>
    WC_INLINE T operator()(T a, T b) const { return a + b; }
};
struct min_op {
    template <class T>
    WC_INLINE T operator()(T a, T b) const { return min(a, b); }
};
struct max_op {
    template <class T>
    WC_INLINE T operator()(T a, T b) const { return max(a, b); }
};

#if WC_CUDA

template <int size>
struct atomic_word;
template <>
struct atomic_word<4> {
    typedef unsigned int type;
};
template <>
struct atomic_word<8> {
    typedef unsigned long long type;
};

template <class T, class Op>
WC_INLINE T atomic_apply(T& place, T value, Op op) {
    typedef typename atomic_word<sizeof(T)>::type word;
    union both {
        word w;
        T t;
    };
    both seen, expected, wanted;
    seen.t = *(volatile T*)&place;
    do {
        expected = seen;
        wanted.t = op(expected.t, value);
        seen.w = atomicCAS((word*)&place, expected.w, wanted.w);
    } while (seen.w != expected.w);
    return expected.t;
}
WC_INLINE float atomic_add(float& place, float value) { return atomicAdd(&place, value); }
WC_INLINE int atomic_add(int& place, int value) { return atomicAdd(&place, value); }
WC_INLINE uint32 atomic_add(uint32& place, uint32 value) { return atomicAdd(&place, value); }

#else

template <class T, class Op>
WC_INLINE T atomic_apply(T& place, T value, Op op) {
    T expected, wanted;
    __atomic_load(&place, &expected, __ATOMIC_RELAXED);
    do {
        wanted = op(expected, value);
    } while (!__atomic_compare_exchange(&place, &expected, &wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return expected;
}

#endif

template <class T>
WC_INLINE T atomic_add(T& place, T value) {
    return atomic_apply(place, value, add_op());
}
template <class T>
WC_INLINE T atomic_sub(T& place, T value) {
    return atomic_add(place, T(T(0) - value));
}
template <class T>
WC_INLINE T atomic_min(T& place, T value) {
    return atomic_apply(place, value, min_op());
}
template <class T>
WC_INLINE T atomic_max(T& place, T value) {
    return atomic_apply(place, value, max_op());
}

}  // namespace wc
