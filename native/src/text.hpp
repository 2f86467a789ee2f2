// Short texts without streams: text("offset ", 12) and fail(code, parts...), which throws Error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "error.hpp"

namespace whitecap {

// Prints as 0x1a.
struct Hex {
    std::uint64_t value;
};

inline void append_part(std::string& out, std::string_view part) {
    out.append(part);
}
inline void append_part(std::string& out, char part) {
    out.push_back(part);
}
void append_part(std::string& out, Hex part);

template <typename Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
void append_part(std::string& out, Number part) {
    out += std::to_string(part);
}

template <typename... Parts>
std::string text(const Parts&... parts) {
    std::string out;
    (append_part(out, parts), ...);
    return out;
}

template <typename... Parts>
[[noreturn]] void fail(wc_error code, const Parts&... parts) {
    throw Error(code, text(parts...));
}

// A byte count for a person: "512 B", "3.2 MiB".
std::string human_bytes(std::uint64_t bytes);

// A name out of a file, fit for a message: quoted, control characters replaced, shortened past 80 bytes.
std::string quoted(std::string_view name);

bool is_utf8(std::string_view bytes) noexcept;

}  // namespace whitecap
