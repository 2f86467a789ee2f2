// Which CUDA context a program lives in, and how a call enters it and leaves the caller's context as it was.
#pragma once

#include <string>

#include "cuda_driver.hpp"
#include "program.hpp"

namespace whitecap {

struct CudaDevice {
    cu::CUdevice handle = 0;
    int ordinal = 0;
    std::string name;
    int major = 0, minor = 0;  // compute capability
    int multiprocessors = 0;
    std::size_t memory = 0;  // bytes
    bool pools = false;      // memory may be taken and given back in the order of a stream
    int arch() const { return 10 * major + minor; }
};

// Throws WC_ERROR_DEVICE when there is no such device.
CudaDevice cuda_device(int ordinal);
int cuda_device_count();

// A context: the caller's (given, or current on this thread), else the device's primary one, which CuPy,
// PyTorch and the CUDA runtime use too. A primary context is retained until the object goes.
class CudaContext {
  public:
    explicit CudaContext(const CudaOptions& options);
    ~CudaContext();
    CudaContext(const CudaContext&) = delete;
    CudaContext& operator=(const CudaContext&) = delete;

    cu::CUcontext handle() const { return handle_; }
    const CudaDevice& device() const { return device_; }

  private:
    cu::CUcontext handle_ = nullptr;
    CudaDevice device_;
    bool retained_ = false;
};

// Makes a context current for a scope.
class CudaScope {
  public:
    explicit CudaScope(cu::CUcontext context) { WC_CUDA(cuCtxPushCurrent, context); }
    explicit CudaScope(const CudaContext& context) : CudaScope(context.handle()) {}
    ~CudaScope() {
        cu::CUcontext popped = nullptr;
        cu::driver().cuCtxPopCurrent(&popped);
    }
    CudaScope(const CudaScope&) = delete;
    CudaScope& operator=(const CudaScope&) = delete;
};

}  // namespace whitecap
