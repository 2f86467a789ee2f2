// Whole files in memory.
#pragma once

#include <cstdint>
#include <string>

#include "capture.hpp"

namespace whitecap {

// Throws WC_ERROR_IO with the reason, WC_ERROR_LIMIT when it is longer than `max_bytes`.
Bytes read_file(const std::string& path, std::uint64_t max_bytes);

bool file_exists(const std::string& path) noexcept;
bool folder_exists(const std::string& path) noexcept;
bool path_exists(const std::string& path) noexcept;

}  // namespace whitecap
