// How much a capture may ask for. Generous for real programs, small enough that a hostile file cannot exhaust
// a machine.
#pragma once

#include <cstdint>

namespace whitecap {

struct Limits {
    std::uint64_t file_bytes = std::uint64_t{1} << 36;    // 64 GiB
    std::uint64_t memory_bytes = std::uint64_t{1} << 38;  // all regions together, 256 GiB
    std::uint64_t threads = std::uint64_t{1} << 40;       // of one launch
    std::uint32_t modules = 1 << 12;
    std::uint32_t records = 1 << 20;  // kernels, bindings, meshes, pointer locations, regions: each
    std::uint32_t operations = 1 << 24;
    int nesting = 64;  // of conditionals; the format allows 1024, which a small stack may not hold
};

}  // namespace whitecap
