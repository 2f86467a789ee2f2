// What a compiled kernel receives: launch bounds and argument images (format notes 4.2, 4.4), on either
// device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capture.hpp"

namespace whitecap {

// The image of an array argument.
struct ArrayAbi {
    std::uint64_t data, grad;
    std::int32_t shape[4], strides[4];  // elements, bytes
    std::uint16_t ndim, flags;
    std::uint32_t tail;
};
static_assert(sizeof(ArrayAbi) == 56);

// launch_bounds_t<N>: 24 bytes for N = 1, 2 and 32 for N = 3, 4.
struct LaunchBounds {
    alignas(16) std::byte bytes[32] = {};
    std::size_t size = 0;
};

LaunchBounds pack_bounds(const Launch& launch);

// Product of the first `ndim` extents; sets `overflow` when it does not fit in 64 bits.
std::uint64_t shape_product(const Launch& launch, bool& overflow);

// How many consecutive threads share one coordinate: 1, or more for launches whose size is a multiple of the
// shape.
std::uint64_t coordinate_multiplier(const Launch& launch);

// The C struct of all values, each at its own alignment. Pointer slots stay zero; `starts` receives the
// offset of each.
Bytes pack_arguments(const std::vector<Argument>& arguments, std::vector<std::size_t>& starts);

}  // namespace whitecap
