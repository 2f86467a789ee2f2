#include "cuda_memory.hpp"

#include "text.hpp"

namespace whitecap {

using namespace cu;

namespace {

constexpr std::uint64_t kAlignment = 256;  // what an allocation of its own would have

bool on_device(const std::byte* pointer) {
    int type = 0;
    const auto address = reinterpret_cast<CUdeviceptr>(pointer);
    return pointer != nullptr &&
           driver().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_DEVICE;
}

std::uint64_t aligned(std::uint64_t size) {
    return (size + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

bool uses_device_memory_of_caller(const Capture& capture) {
    if (!driver_loaded()) return false;
    for (const Region& region : capture.regions) {
        if (on_device(region.external)) return true;
    }
    return false;
}

bool read_device_memory(const std::byte* pointer, std::uint64_t size, std::byte* out) {
    if (!driver_loaded() || !on_device(pointer)) return false;
    CUcontext context = nullptr;
    WC_CUDA(cuPointerGetAttribute, &context, CU_POINTER_ATTRIBUTE_CONTEXT,
            reinterpret_cast<CUdeviceptr>(pointer));
    const CudaScope scope(context);
    WC_CUDA(cuMemcpyDtoH, out, reinterpret_cast<CUdeviceptr>(pointer), size);
    return true;
}

CudaMemory::CudaMemory(const Capture& capture, const CudaDevice& device, CUstream stream)
    : stream_(stream), pools_(device.pools) {
    std::uint64_t total = 0;
    std::vector<std::pair<const Region*, std::uint64_t>> owned;
    for (const Region& region : capture.regions) {
        if (on_device(region.external)) {
            regions_[region.id] = {reinterpret_cast<std::uint64_t>(region.external), region.size};
            continue;
        }
        owned.emplace_back(&region, total);
        // An empty region still has an address of its own.
        if (region.size > UINT64_MAX / 2 - total)
            fail(WC_ERROR_MEMORY, "the capture's regions need more than 2^63 bytes");
        total += aligned(region.size > 0 ? region.size : 1);
    }
    if (owned.empty()) return;
    const CUdeviceptr base = allocate(total);
    for (const auto& [region, offset] : owned) {
        const CUdeviceptr address = base + offset;
        regions_[region->id] = {address, region->size};
        const std::byte* const data = region->external != nullptr ? region->external
                                      : region->has_data          ? region->data.data()
                                                                  : nullptr;
        if (region->size == 0) continue;
        if (data != nullptr) {
            WC_CUDA(cuMemcpyHtoDAsync, address, data, region->size, stream_);
        } else {
            WC_CUDA(cuMemsetD8Async, address, 0, region->size, stream_);
        }
    }
}

Placed CudaMemory::region(std::int64_t id) const {
    const auto found = id < 0 ? regions_.end() : regions_.find(std::uint32_t(id));
    return found == regions_.end() ? Placed{} : found->second;
}

CUdeviceptr CudaMemory::constant(const Bytes& bytes) {
    const CUdeviceptr address = allocate(bytes.size());
    WC_CUDA(cuMemcpyHtoDAsync, address, bytes.data(), bytes.size(), stream_);
    return address;
}

CUdeviceptr CudaMemory::allocate(std::uint64_t size) {
    allocations_.emplace_back(size, pools_ ? stream_ : nullptr);
    bytes_ += size;
    return allocations_.back().address();
}

CudaAllocation::CudaAllocation(std::uint64_t size, CUstream stream) : stream_(stream) {
    const Driver& cuda = driver();
    const CUresult result = stream_ != nullptr ? cuda.cuMemAllocAsync(&address_, size, stream_)
                                               : cuda.cuMemAlloc(&address_, size);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        std::size_t unused = 0, total = 0;
        cuda.cuMemGetInfo(&unused, &total);
        fail(WC_ERROR_MEMORY, "out of GPU memory: ", human_bytes(size), " needed, ", human_bytes(unused),
             " of ", human_bytes(total),
             " free; close other GPU programs, use a smaller grid, or use the CPU");
    }
    check(result, stream_ != nullptr ? "cuMemAllocAsync" : "cuMemAlloc");
}

CudaAllocation::~CudaAllocation() {
    if (address_ == 0) return;
    if (stream_ != nullptr) {
        driver().cuMemFreeAsync(address_, stream_);
    } else {
        driver().cuMemFree(address_);
    }
}

}  // namespace whitecap
