#include "cuda_context.hpp"

namespace whitecap {

using namespace cu;

namespace {

CudaDevice describe(CUdevice handle, int ordinal) {
    CudaDevice device;
    device.handle = handle;
    device.ordinal = ordinal;
    char name[256] = {};
    WC_CUDA(cuDeviceGetName, name, int(sizeof name), handle);
    device.name = name;
    WC_CUDA(cuDeviceGetAttribute, &device.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, handle);
    WC_CUDA(cuDeviceGetAttribute, &device.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, handle);
    WC_CUDA(cuDeviceGetAttribute, &device.multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, handle);
    int pools = 0;
    WC_CUDA(cuDeviceGetAttribute, &pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, handle);
    device.pools = pools != 0;
    WC_CUDA(cuDeviceTotalMem, &device.memory, handle);
    return device;
}

}  // namespace

int cuda_device_count() {
    int count = 0;
    WC_CUDA(cuDeviceGetCount, &count);
    return count;
}

CudaDevice cuda_device(int ordinal) {
    const int count = cuda_device_count();
    if (ordinal < 0 || ordinal >= count) {
        throw Error(WC_ERROR_DEVICE, "no CUDA device " + std::to_string(ordinal) + ": this machine has " +
                                         std::to_string(count) + ", numbered from 0");
    }
    CUdevice handle = 0;
    WC_CUDA(cuDeviceGet, &handle, ordinal);
    return describe(handle, ordinal);
}

CudaContext::CudaContext(const CudaOptions& options) : handle_(static_cast<CUcontext>(options.context)) {
    if (handle_ == nullptr) WC_CUDA(cuCtxGetCurrent, &handle_);
    if (handle_ != nullptr) {
        const CudaScope scope(handle_);
        CUdevice device = 0;
        WC_CUDA(cuCtxGetDevice, &device);
        device_ = describe(device, device);  // the driver's device handles are its ordinals
        return;
    }
    device_ = cuda_device(options.ordinal);
    WC_CUDA(cuDevicePrimaryCtxRetain, &handle_, device_.handle);
    retained_ = true;
}

CudaContext::~CudaContext() {
    if (retained_) driver().cuDevicePrimaryCtxRelease(device_.handle);
}

}  // namespace whitecap
