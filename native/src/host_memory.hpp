// Zeroed host memory for regions and long files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace whitecap {

// Page-aligned, zero, on huge pages where it is long enough for them.
class HostMemory {
  public:
    // Throws WC_ERROR_MEMORY.
    explicit HostMemory(std::uint64_t size);
    ~HostMemory();
    HostMemory(HostMemory&& other) noexcept
        : mapping_(std::exchange(other.mapping_, nullptr)), mapped_(other.mapped_), data_(other.data_) {}
    HostMemory& operator=(HostMemory&&) = delete;

    std::byte* data() const { return data_; }

  private:
    void* mapping_ = nullptr;
    std::size_t mapped_ = 0;
    std::byte* data_ = nullptr;
};

// Bytes of memory that the machine has; 0 when unknown.
std::uint64_t physical_memory();

}  // namespace whitecap
