// Encodes a Capture as `.wrp` bytes that Warp 1.19.0 reads too.
//
// The same capture gives the same bytes: pointer slots are zero, modules and kernels are sorted, padding is
// zero.
#pragma once

#include "capture.hpp"

namespace whitecap {

// Validates first. External regions are read now, so the file holds their contents at this moment.
Bytes write_capture(const Capture& capture);

// The bytes of the operations section.
Bytes write_operations(const std::vector<Operation>& operations);

}  // namespace whitecap
