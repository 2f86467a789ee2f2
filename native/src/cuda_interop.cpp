#include "cuda_interop.hpp"

#include "text.hpp"

namespace whitecap {

using namespace cu;

namespace {

void require_gl() {
    const Driver& cuda = driver();
    if (cuda.cuGLGetDevices != nullptr && cuda.cuGraphicsGLRegisterBuffer != nullptr &&
        cuda.cuGraphicsMapResources != nullptr && cuda.cuGraphicsUnmapResources != nullptr &&
        cuda.cuGraphicsResourceGetMappedPointer != nullptr && cuda.cuGraphicsUnregisterResource != nullptr) {
        return;
    }
    fail(WC_ERROR_UNSUPPORTED,
         "this CUDA driver shares no buffers with OpenGL (so it is under WSL); use the pinned copy");
}

}  // namespace

std::vector<int> cuda_gl_devices() {
    require_gl();
    unsigned count = 0;
    CUdevice devices[16];
    const CUresult result = driver().cuGLGetDevices(&count, devices, 16u, CU_GL_DEVICE_LIST_ALL);
    if (result == CUDA_ERROR_NO_DEVICE || result == CUDA_ERROR_INVALID_GRAPHICS_CONTEXT) return {};
    check(result, "cuGLGetDevices", "matching the OpenGL context with a CUDA device");
    return {devices, devices + count};
}

CudaGLBuffer::CudaGLBuffer(unsigned buffer, const CudaOptions& options) : context_(options) {
    require_gl();
    const CudaScope scope(context_);
    const CUresult result = driver().cuGraphicsGLRegisterBuffer(
        &resource_, buffer, unsigned(CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD));
    check(result, "cuGraphicsGLRegisterBuffer", text("registering OpenGL buffer ", buffer));
}

CudaGLBuffer::~CudaGLBuffer() {
    try {
        const CudaScope scope(context_);
        driver().cuGraphicsUnregisterResource(resource_);
    } catch (const Error&) {
        // The CUDA context went first, and the registration with it.
    }
}

void CudaGLBuffer::copy_from(CUdeviceptr source, std::size_t size, CUstream stream) {
    const CudaScope scope(context_);
    WC_CUDA(cuGraphicsMapResources, 1u, &resource_, stream);
    CUdeviceptr target = 0;
    std::size_t room = 0;
    CUresult result = driver().cuGraphicsResourceGetMappedPointer(&target, &room, resource_);
    const bool fits = result != CUDA_SUCCESS || size <= room;
    if (result == CUDA_SUCCESS && fits) result = driver().cuMemcpyDtoDAsync(target, source, size, stream);
    // Unmapped in any case: a mapped buffer cannot be drawn.
    WC_CUDA(cuGraphicsUnmapResources, 1u, &resource_, stream);
    check(result, "copy into an OpenGL buffer");
    if (!fits)
        fail(WC_ERROR_ARGUMENT, "copy into an OpenGL buffer: ", size, " bytes given, it has room for ", room);
}

CudaPinnedBuffer::CudaPinnedBuffer(std::size_t size, const CudaOptions& options)
    : context_(options), size_(size) {
    const CudaScope scope(context_);
    check(driver().cuMemAllocHost(&data_, size > 0 ? size : 1), "cuMemAllocHost",
          text("pinning ", human_bytes(size)));
}

CudaPinnedBuffer::~CudaPinnedBuffer() {
    try {
        const CudaScope scope(context_);
        driver().cuMemFreeHost(data_);
    } catch (const Error&) {
        // The CUDA context went first, and its pinned memory with it.
    }
}

void CudaPinnedBuffer::copy_from(CUdeviceptr source, CUstream stream) {
    const CudaScope scope(context_);
    WC_CUDA(cuMemcpyDtoHAsync, data_, source, size_, stream);
    WC_CUDA(cuStreamSynchronize, stream);
}

}  // namespace whitecap
