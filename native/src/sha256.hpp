// SHA-256 (FIPS 180-4), for the digests of module binaries.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace whitecap {

// 64 lowercase hex digits.
std::string sha256_hex(const void* data, std::size_t size);

bool is_sha256_hex(std::string_view digest) noexcept;

}  // namespace whitecap
