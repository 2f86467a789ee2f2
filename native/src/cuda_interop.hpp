// Results handed to whoever draws: an OpenGL buffer registered with CUDA, or a pinned copy in host memory.
//
// Both copies are ordered on the simulation's stream. The OpenGL context must be current, and the buffer
// object alive, whenever a CudaGLBuffer is made, used or destroyed.
#pragma once

#include <vector>

#include "cuda_context.hpp"

namespace whitecap {

// Ordinals of the CUDA devices that drive the current OpenGL context; none when it runs elsewhere.
std::vector<int> cuda_gl_devices();

class CudaGLBuffer {
  public:
    // Registers a whole buffer object, whose old contents every copy discards. Throws CudaError or
    // WC_ERROR_UNSUPPORTED.
    CudaGLBuffer(unsigned buffer, const CudaOptions& options);
    ~CudaGLBuffer();
    CudaGLBuffer(const CudaGLBuffer&) = delete;
    CudaGLBuffer& operator=(const CudaGLBuffer&) = delete;

    // Maps, copies `size` bytes from device memory at `source` and unmaps, all on `stream`: nothing waits.
    void copy_from(cu::CUdeviceptr source, std::size_t size, cu::CUstream stream);

  private:
    CudaContext context_;
    cu::CUgraphicsResource resource_ = nullptr;
};

// Page-locked host memory: the fastest way off the device when the drawing happens elsewhere.
class CudaPinnedBuffer {
  public:
    CudaPinnedBuffer(std::size_t size, const CudaOptions& options);
    ~CudaPinnedBuffer();
    CudaPinnedBuffer(const CudaPinnedBuffer&) = delete;
    CudaPinnedBuffer& operator=(const CudaPinnedBuffer&) = delete;

    // Copies the whole buffer from device memory at `source`, after the work on `stream`, and waits for it.
    void copy_from(cu::CUdeviceptr source, cu::CUstream stream);

    void* data() const { return data_; }
    std::size_t size() const { return size_; }

  private:
    CudaContext context_;
    void* data_ = nullptr;
    std::size_t size_;
};

}  // namespace whitecap
