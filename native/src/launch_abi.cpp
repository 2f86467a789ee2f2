// Packs launch bounds and argument structs.
#include "launch_abi.hpp"

#include <algorithm>
#include <cstring>

namespace whitecap {

std::uint64_t shape_product(const Launch& launch, bool& overflow) {
    std::uint64_t product = 1;
    overflow = false;
    for (int d = 0; d < std::clamp(launch.ndim, 1, 4); ++d) {
        const std::uint64_t extent = launch.shape[static_cast<std::size_t>(d)];
        if (extent != 0 && product > ~std::uint64_t{0} / extent) overflow = true;
        product *= extent;
    }
    return product;
}

std::uint64_t coordinate_multiplier(const Launch& launch) {
    bool overflow = false;
    const std::uint64_t product = shape_product(launch, overflow);
    return product > 0 && !overflow && launch.size > product ? launch.size / product : 1;
}

LaunchBounds pack_bounds(const Launch& launch) {
    LaunchBounds bounds;
    const auto rank = static_cast<std::size_t>(std::clamp(launch.ndim, 1, 4));
    const std::size_t shape_bytes = rank <= 2 ? 8 : 16;
    const std::uint64_t tail[2] = {launch.size, coordinate_multiplier(launch)};
    std::memcpy(bounds.bytes, launch.shape.data(), rank * sizeof launch.shape[0]);
    std::memcpy(bounds.bytes + shape_bytes, tail, sizeof tail);
    bounds.size = shape_bytes + sizeof tail;
    return bounds;
}

Bytes pack_arguments(const std::vector<Argument>& arguments, std::vector<std::size_t>& starts) {
    Bytes packed;
    starts.clear();
    for (const Argument& argument : arguments) {
        const std::size_t align = argument.align;
        packed.resize((packed.size() + align - 1) / align * align);
        starts.push_back(packed.size());
        packed.insert(packed.end(), argument.value.begin(), argument.value.end());
    }
    return packed;
}

}  // namespace whitecap
