// Storage and splitting of prepared launches.
#include "cpu_launch.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace whitecap {

AlignedBytes::AlignedBytes(std::size_t size) {
    constexpr std::size_t kAlignment = 256;
    const std::size_t rounded = (std::max<std::size_t>(size, 1) + kAlignment - 1) / kAlignment * kAlignment;
    auto* data = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
    if (data == nullptr) throw std::bad_alloc();
    data_.reset(data);
}

void AlignedBytes::Free::operator()(std::byte* data) const {
    std::free(data);
}

std::uint64_t CpuLaunch::splitting_unit(const Launch& launch) {
    constexpr std::uint64_t kFewRows = 16, kRun = 64;
    const std::uint64_t together = coordinate_multiplier(launch);
    if (launch.ndim < 2) return kRun * together;
    const std::uint64_t row =
        std::max<std::uint64_t>(launch.shape[static_cast<std::size_t>(launch.ndim) - 1], 1) * together;
    return launch.size / row < kFewRows ? kRun * together : row;
}

AlignedBytes CpuLaunch::copy_of(const Bytes& bytes) {
    AlignedBytes result(bytes.size());
    if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
}

void CpuLaunch::put_pointer(std::byte* slot, const void* pointer) {
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(pointer);
    std::memcpy(slot, &address, sizeof address);
}

}  // namespace whitecap
