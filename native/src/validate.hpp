// The rules that a capture keeps, wherever it comes from: a file, a recorder, `retarget`.
#pragma once

#include "capture.hpp"
#include "limits.hpp"

namespace whitecap {

// Throws Error (WC_ERROR_FORMAT, WC_ERROR_LIMIT) and names the operation, kernel or record at fault.
void validate(const Capture& capture, const Limits& limits = {});

// The part of it that concerns the operation stream.
void validate_operations(const Capture& capture, const Limits& limits);

// Throws when one name stands for two regions. Warp's files may do that; what is recorded here may not.
void require_clear_names(const Capture& capture);

// Throws unless `size` bytes at `offset` lie inside region `id`; `who` begins the message.
void require_span(const Capture& capture, const std::string& who, std::int64_t id, std::uint64_t offset,
                  std::uint64_t size);

}  // namespace whitecap
