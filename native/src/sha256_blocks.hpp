// The compression function of SHA-256, in plain C++ and with the processor's own instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace whitecap {

using Sha256State = std::array<std::uint32_t, 8>;

// Both take `count` blocks of 64 bytes into the state.
void sha256_blocks_plain(Sha256State& state, const std::uint8_t* blocks, std::size_t count);
void sha256_blocks_x86(Sha256State& state, const std::uint8_t* blocks, std::size_t count);

// Whether this processor has the instructions of sha256_blocks_x86, which must not be called without them.
bool has_sha256_x86() noexcept;

// The round constants.
extern const std::uint32_t kSha256Round[64];

}  // namespace whitecap
