// What an operation that is kept byte for byte reads and writes.
#pragma once

#include <cstdint>
#include <vector>

#include "bytes.hpp"

namespace whitecap {

struct RegionSpan {
    std::int32_t region = kNoRegion;
    std::uint64_t offset = 0, size = 0;
};

// Throws WC_ERROR_FORMAT when the record breaks a rule of its kind.
std::vector<RegionSpan> opaque_spans(std::uint32_t type, ByteReader record);

}  // namespace whitecap
