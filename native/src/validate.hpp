// The rules that a capture keeps, wherever it comes from: a file, a recorder, `retarget`.
#pragma once

#include "capture.hpp"
#include "limits.hpp"

namespace whitecap {

// Throws Error (WC_ERROR_FORMAT, WC_ERROR_LIMIT) and names the operation, kernel or record at fault.
void validate(const Capture& capture, const Limits& limits = {});

}  // namespace whitecap
