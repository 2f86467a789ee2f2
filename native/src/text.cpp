// Texts for messages, and the check that a text from a file is one.
#include "text.hpp"

#include <cstdio>

namespace whitecap {

void append_part(std::string& out, Hex part) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(part.value));
    out += digits;
}

std::string human_bytes(std::uint64_t bytes) {
    static const char* const kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024.0 && unit + 1 < sizeof kUnits / sizeof *kUnits) value /= 1024.0, ++unit;
    char digits[32];
    std::snprintf(digits, sizeof digits, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
    return digits;
}

std::string quoted(std::string_view name) {
    constexpr std::size_t kLongest = 80;
    const bool whole = name.size() <= kLongest;
    std::string out = "\"";
    for (char c : name.substr(0, kLongest))
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    if (!whole) {
        while (!is_utf8(std::string_view(out).substr(1)) && out.size() > kLongest - 3) out.pop_back();
        out += "...";
    }
    return out += '"';
}

bool is_utf8(std::string_view bytes) noexcept {
    static constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    for (std::size_t i = 0; i < bytes.size();) {
        const auto lead = static_cast<unsigned char>(bytes[i]);
        const std::size_t length = lead < 0x80       ? 1
                                   : lead >> 5 == 6  ? 2
                                   : lead >> 4 == 14 ? 3
                                   : lead >> 3 == 30 ? 4
                                                     : 0;
        if (length == 0 || length > bytes.size() - i) return false;
        std::uint32_t point = length == 1 ? lead : lead & (0x7fu >> length);
        for (std::size_t k = 1; k < length; ++k) {
            const auto next = static_cast<unsigned char>(bytes[i + k]);
            if (next >> 6 != 2) return false;
            point = point << 6 | (next & 0x3f);
        }
        const bool surrogate = point >= 0xd800 && point < 0xe000;
        if (point < kSmallest[length] || point > 0x10ffff || surrogate) return false;
        i += length;
    }
    return true;
}

}  // namespace whitecap
