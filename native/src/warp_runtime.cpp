// The host functions of Warp's CPU kernels: a few of its own, everything else from libc and libm.
#include "warp_runtime.hpp"

#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace whitecap {
namespace {

void assertion_failed(const char* expression, const char* file, unsigned line) {
    std::fprintf(stderr, "whitecap: a kernel's assertion failed: %s (%s:%u)\n", expression, file, line);
    std::abort();
}

int is_finite(double value) {
    return std::isfinite(value) ? 1 : 0;
}
int is_nan(double value) {
    return std::isnan(value) ? 1 : 0;
}
int is_infinite(double value) {
    return std::isinf(value) ? 1 : 0;
}

template <typename Function>
void* address(Function* function) {
    return reinterpret_cast<void*>(function);
}

}  // namespace

void* find_runtime_symbol(const std::string& name) {
    static const std::map<std::string, void*> own = {
        {"_wp_assert", address(&assertion_failed)},
        {"_wp_isfinite", address(&is_finite)},
        {"_wp_isnan", address(&is_nan)},
        {"_wp_isinf", address(&is_infinite)},
    };
    if (const auto found = own.find(name); found != own.end()) return found->second;
    if (void* symbol = dlsym(RTLD_DEFAULT, name.c_str())) return symbol;
    static void* const maths = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);  // a C host may not have loaded it
    return maths == nullptr ? nullptr : dlsym(maths, name.c_str());
}

}  // namespace whitecap
