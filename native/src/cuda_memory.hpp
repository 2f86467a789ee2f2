// Device memory of a program: its regions in one allocation, and constants that operations copy from.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "capture.hpp"
#include "cuda_context.hpp"
#include "cuda_dataflow.hpp"

namespace whitecap {

// Device memory that is freed with the object. The context must be current then.
class CudaAllocation {
  public:
    // Throws WC_ERROR_MEMORY, saying how much was asked for and how much is free. With a stream the memory is
    // taken and given back in its order, so that other streams go on; without one the driver stops the device
    // to free it.
    explicit CudaAllocation(std::uint64_t size, cu::CUstream stream = nullptr);
    ~CudaAllocation();
    CudaAllocation(CudaAllocation&& other) noexcept
        : address_(std::exchange(other.address_, 0)), stream_(other.stream_) {}
    CudaAllocation& operator=(CudaAllocation&&) = delete;

    cu::CUdeviceptr address() const { return address_; }
    // Leaves the memory to the caller.
    cu::CUdeviceptr release() { return std::exchange(address_, 0); }

  private:
    cu::CUdeviceptr address_ = 0;
    cu::CUstream stream_;
};

// The context must be current for every call, the destructor included.
class CudaMemory {
  public:
    // Places every region and fills it on `stream`: recorded bytes, or zeros. Regions of a live capture that
    // point at device memory are used in place; those that point at host memory are copied. Throws
    // WC_ERROR_MEMORY.
    CudaMemory(const Capture& capture, const CudaDevice& device, cu::CUstream stream);
    CudaMemory(const CudaMemory&) = delete;
    CudaMemory& operator=(const CudaMemory&) = delete;

    // Address 0 when there is no such region.
    Placed region(std::int64_t id) const;
    // Uninitialised memory, kept as long as the object.
    cu::CUdeviceptr scratch(std::uint64_t size) { return allocate(size); }
    // Device copy of `bytes`, kept as long as the object.
    cu::CUdeviceptr constant(const Bytes& bytes);

    std::uint64_t bytes() const { return bytes_; }

  private:
    cu::CUdeviceptr allocate(std::uint64_t size);

    cu::CUstream stream_;
    bool pools_;
    std::unordered_map<std::uint32_t, Placed> regions_;
    std::vector<CudaAllocation> allocations_;
    std::uint64_t bytes_ = 0;
};

// Copies device memory of this process to the host; false, and nothing happens, for any other pointer.
bool read_device_memory(const std::byte* pointer, std::uint64_t size, std::byte* out);

// Whether regions of the capture point at device memory of the caller's.
bool uses_device_memory_of_caller(const Capture& capture);

}  // namespace whitecap
