// Whole files in memory.
#pragma once

#include <cstdint>
#include <string>

#include "capture.hpp"

namespace whitecap {

// Throws WC_ERROR_IO with the reason, WC_ERROR_LIMIT when it is longer than `max_bytes`.
Bytes read_file(const std::string& path, std::uint64_t max_bytes);

// The same for long files of which parts are kept: whoever keeps one shares the memory. The file is read, not
// mapped: a capture keeps its bytes as long as it lives, and a mapped file that another process shortens ends
// this one (SIGBUS), one that it writes to changes after it was checked.
SharedBytes read_shared_file(const std::string& path, std::uint64_t max_bytes);

bool file_exists(const std::string& path) noexcept;
bool folder_exists(const std::string& path) noexcept;
bool path_exists(const std::string& path) noexcept;

}  // namespace whitecap
