// Little-endian bytes: a bounds-checked cursor over untrusted input, and its writing twin.
//
// Nothing in the format is aligned, so numbers are copied out, never cast. The library runs on little-endian
// hosts only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "capture.hpp"
#include "text.hpp"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "whitecap reads its files in place on little-endian hosts");

namespace whitecap {

struct ByteSpan {
    const std::byte* data = nullptr;
    std::size_t size = 0;
};

// A run of bytes and where it lies in the file. `where` names it in messages ("metadata") and outlives the
// cursor.
class ByteReader {
  public:
    ByteReader(const std::byte* data, std::size_t size, std::uint64_t file_offset, const char* where)
        : data_(data), size_(size), file_offset_(file_offset), where_(where) {}

    std::size_t left() const { return size_ - position_; }
    std::size_t position() const { return position_; }
    std::uint64_t file_offset() const { return file_offset_ + position_; }
    const std::byte* current() const { return data_ + position_; }

    template <typename Number>
    Number read(const char* field) {
        static_assert(std::is_arithmetic_v<Number>);
        Number value;
        std::memcpy(&value, take(sizeof value, field), sizeof value);
        return value;
    }

    const std::byte* take(std::uint64_t count, const char* field) {
        if (count > left()) {
            malformed(field, " needs ", count, count == 1 ? " byte, " : " bytes, ", left(),
                      " are left; the file was cut short or damaged");
        }
        const std::byte* start = current();
        position_ += static_cast<std::size_t>(count);
        return start;
    }

    void skip(std::uint64_t count, const char* field) { take(count, field); }

    std::string_view take_text(std::uint64_t count, const char* field) {
        return {reinterpret_cast<const char*>(take(count, field)), static_cast<std::size_t>(count)};
    }

    // A cursor over the next `count` bytes, which are consumed here.
    ByteReader slice(std::uint64_t count, const char* field) {
        const std::uint64_t start = file_offset();
        return {take(count, field), static_cast<std::size_t>(count), start, where_};
    }

    template <typename... Parts>
    [[noreturn]] void malformed(const Parts&... parts) const {
        fail_at(WC_ERROR_FORMAT, file_offset(), parts...);
    }

    template <typename... Parts>
    [[noreturn]] void fail_at(wc_error code, std::uint64_t offset, const Parts&... parts) const {
        fail(code, where_, ", offset ", Hex{offset}, ": ", parts...);
    }

  private:
    const std::byte* data_;
    std::size_t size_;
    std::size_t position_ = 0;
    std::uint64_t file_offset_;
    const char* where_;
};

// `value` as one of the format's smaller numbers; WC_ERROR_LIMIT when it does not fit. `what` names it.
template <typename Number>
Number fits(std::size_t value, const char* what) {
    if (value > std::numeric_limits<Number>::max()) {
        fail(WC_ERROR_LIMIT, "save: ", what, " is ", value, ", more than the ", 8 * sizeof(Number),
             " bits that the format has for it");
    }
    return static_cast<Number>(value);
}

class ByteWriter {
  public:
    template <typename Number>
    void write(Number value) {
        static_assert(std::is_arithmetic_v<Number>);
        write_bytes(&value, sizeof value);
    }

    void write_bytes(const void* data, std::size_t count) {
        const auto* start = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), start, start + count);
    }

    void write_bytes(const Bytes& bytes) { write_bytes(bytes.data(), bytes.size()); }
    void write_text(std::string_view characters) { write_bytes(characters.data(), characters.size()); }
    // Room for `size` bytes in all, so that long ones are moved no more.
    void reserve(std::size_t size) { bytes_.reserve(size); }
    void zeros(std::size_t count) { bytes_.resize(bytes_.size() + count); }

    // `count` more bytes, for the caller to fill before the next call.
    std::byte* extend(std::size_t count) {
        zeros(count);
        return bytes_.data() + (bytes_.size() - count);
    }

    // u32 length, then the characters.
    void string(std::string_view characters) {
        write(static_cast<std::uint32_t>(characters.size()));
        write_text(characters);
    }

    template <typename Number>
    void patch(std::size_t position, Number value) {
        std::memcpy(bytes_.data() + position, &value, sizeof value);
    }

    std::size_t size() const { return bytes_.size(); }
    const Bytes& bytes() const { return bytes_; }
    Bytes release() { return std::move(bytes_); }

  private:
    Bytes bytes_;
};

}  // namespace whitecap
