// Captures and files for tests. The worked example is laid down byte by byte after the format notes, without
// the writer.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "capture.hpp"
#include "recorder.hpp"

namespace sample {

using whitecap::Bytes;
using whitecap::LiveArgument;

inline const std::string kHash = "0f2414a09c31d2b6e5f8071a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3cd17a";
inline const std::string kModule = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

class Layout {
  public:
    template <typename Number>
    Layout& put(Number value) {
        bytes_.resize(bytes_.size() + sizeof value);
        std::memcpy(bytes_.data() + bytes_.size() - sizeof value, &value, sizeof value);
        return *this;
    }
    Layout& u8(unsigned value) { return put(static_cast<std::uint8_t>(value)); }
    Layout& u16(unsigned value) { return put(static_cast<std::uint16_t>(value)); }
    Layout& u32(std::uint32_t value) { return put(value); }
    Layout& u64(std::uint64_t value) { return put(value); }
    Layout& f32(float value) { return put(value); }
    Layout& zeros(std::size_t count) { return bytes_.resize(bytes_.size() + count), *this; }
    Layout& raw(const std::string& text) {
        for (char c : text) u8(static_cast<unsigned char>(c));
        return *this;
    }
    Layout& string(const std::string& text) { return u32(static_cast<std::uint32_t>(text.size())).raw(text); }
    Layout& bytes(const Bytes& bytes) {
        return bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()), *this;
    }
    std::size_t size() const { return bytes_.size(); }
    const Bytes& done() const { return bytes_; }

  private:
    Bytes bytes_;
};

// An array argument: stale pointer, no gradient, `count` floats.
inline void array_image(Layout& out, std::uint64_t stale, std::uint32_t count) {
    out.u64(stale).u64(0).u32(count).zeros(12).u32(4).zeros(12).u16(1).u16(0).zeros(4);
}

// Where the fields of the worked example lie, for tests that damage it.
namespace at {
constexpr std::size_t kMagic = 0, kVersion = 4, kSections = 12, kTable = 16, kDevice = 24, kArch = 28;
constexpr std::size_t kMetadataEntry = 0x40, kMemoryEntry = 0x60, kOperationsEntry = 0x80;
constexpr std::size_t kMetadata = 0xa0, kProducer = 0xa4, kMetadataArch = 0xae, kCounts = 0xb2,
                      kModuleHash = 0xca;
constexpr std::size_t kModuleName = 0x10e, kFile = 0x11a, kModuleArch = 0x13b, kKernelKey = 0x161,
                      kKernelHash = 0x169;
constexpr std::size_t kForward = 0x1a9, kBlock = 0x1ec, kBindingX = 0x1f4, kRegionOfX = 0x1f5,
                      kBindingY = 0x1fd;
constexpr std::size_t kRegionOfY = 0x1fe;
constexpr std::size_t kRegions = 0x202, kRegion1 = 0x206, kRegion2 = 0x22e;
constexpr std::size_t kOperations = 0x256, kLaunch = 0x25a, kBindings = 0x2ee, kRelocations = 0x31e,
                      kValues = 0x37e;
}  // namespace at

inline Bytes worked_example() {
    Layout out;
    out.raw("WRP1").u32(18).u32(0).u32(3).u64(64).u8(1).zeros(3).u32(0).zeros(32);
    out.u32(1).u32(0).u64(160).u64(354).u64(354);
    out.u32(2).u32(0).u64(514).u64(84).u64(84);
    out.u32(3).u32(0).u64(598).u64(416).u64(416);

    out.u32(18).string("1.19.0").u32(0).u32(1).u32(1).u32(2).u32(0).u32(0);
    out.string(kHash).string("__main__").string("wp___main___0f2414a.cpu202debe6.o").u32(0);
    out.zeros(12).u8(0).u8(1).zeros(16);
    out.string("axpy").string(kHash).string("axpy_976fbc0d_cpu_forward").string("axpy_976fbc0d_cpu_backward");
    out.u32(0).u32(0).u32(1);
    out.string("x").u32(1).string("y").u32(2);

    out.u32(2);
    out.u32(1).u32(1).u64(16).u8(1).zeros(7).f32(0).f32(1).f32(2).f32(3);
    out.u32(2).u32(1).u64(16).u8(1).zeros(7).f32(1).f32(1).f32(1).f32(1);

    out.u32(1);
    out.u32(1).u32(412).u32(4).zeros(12).u32(1).u64(4).u64(4).zeros(16).u8(1).u8(1).u16(0);
    out.u16(4).u16(64).u16(3).u16(0).u32(4).u32(120).raw("axpy").raw(kHash);
    out.u16(1).u16(0).u32(0).u32(4).u32(4);
    out.u16(2).u16(2).u32(8).u32(56).u32(8);
    out.u16(3).u16(2).u32(64).u32(56).u32(8);
    const auto relocation = [&](std::uint32_t offset, std::int32_t region, unsigned kind) {
        out.u32(offset).put(region).u64(0).u8(kind).zeros(7);
    };
    relocation(0, 1, 1), relocation(8, -1, 3), relocation(0, 2, 1), relocation(8, -1, 3);
    out.f32(2.0f).zeros(4);
    array_image(out, 0x563fb6aa7580, 4);
    array_image(out, 0x563fb6aab8c0, 4);
    return out.done();
}

template <typename Number>
Bytes patched(Bytes bytes, std::size_t offset, Number value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return bytes;
}

// A one-launch-per-record file around an operation stream, with one 64-byte region and no modules.
inline Bytes file_of(const Bytes& stream, std::uint32_t count, std::uint64_t region_size = 64) {
    Layout metadata, memory, operations, out;
    metadata.u32(18).string("1.19.0").u32(0).zeros(20);
    memory.u32(1).u32(1).u32(1).u64(region_size).u8(0).zeros(7);
    operations.u32(count).bytes(stream);
    std::uint64_t offset = 160;
    out.raw("WRP1").u32(18).u32(0).u32(3).u64(64).u8(1).zeros(7).zeros(32);
    std::uint32_t type = 1;
    for (const Layout* section : {&metadata, &memory, &operations}) {
        out.u32(type++).u32(0).u64(offset).u64(section->size()).u64(section->size());
        offset += section->size();
    }
    return out.bytes(metadata.done()).bytes(memory.done()).bytes(operations.done()).done();
}

// ---- Live captures over the kernels of kernels.cpp ----

inline std::uintptr_t address(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

template <typename Number>
LiveArgument scalar(Number value) {
    LiveArgument argument;
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    argument.value.assign(bytes, bytes + sizeof value);
    argument.align = alignof(Number);
    argument.access = whitecap::Access::read;
    return argument;
}

// A contiguous array of 4-byte elements.
inline LiveArgument array(const void* data, const std::vector<std::int32_t>& shape,
                          whitecap::Access access = whitecap::Access::read_write) {
    Layout out;
    std::int32_t strides[4] = {}, extents[4] = {}, stride = 4;
    for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d])
        strides[d] = stride, extents[d] = shape[d];
    out.u64(address(data)).u64(0);
    for (std::int32_t extent : extents) out.put(extent);
    for (std::int32_t step : strides) out.put(step);
    out.u16(static_cast<unsigned>(shape.size())).u16(0).zeros(4);
    LiveArgument argument;
    argument.value = out.done();
    argument.align = 8;
    argument.pointers = {{0, address(data)}, {8, 0}};
    argument.access = access;
    return argument;
}

inline whitecap::Recorder recorder() {
    whitecap::Recorder result;
    result.module(kModule, "kernels");
    for (const char* kernel : {"axpy_00000001", "stencil_00000002", "scale_00000003", "countdown_00000004",
                               "index3_00000005", "nothing_00000006"}) {
        const std::string symbol = kernel;
        result.kernel(symbol.substr(0, symbol.find('_')), kModule, symbol);
    }
    return result;
}

}  // namespace sample
