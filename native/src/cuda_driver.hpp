// The CUDA driver, loaded at run time: the few dozen functions used here, with declarations of our own.
//
// Types and functions keep the driver's names, inside a namespace, so that its manual applies. Nothing is
// linked: a machine without a driver gets an Error (WC_ERROR_DEVICE) that says what was found, what is needed
// and what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "error.hpp"

namespace whitecap::cu {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = std::uint64_t;
using CUcontext = struct ContextHandle*;
using CUmodule = struct ModuleHandle*;
using CUfunction = struct FunctionHandle*;
using CUstream = struct StreamHandle*;
using CUevent = struct EventHandle*;
using CUgraph = struct GraphHandle*;
using CUgraphNode = struct GraphNodeHandle*;
using CUgraphExec = struct GraphExecHandle*;
using CUgraphicsResource = struct GraphicsResourceHandle*;

enum : CUresult {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_INVALID_GRAPHICS_CONTEXT = 219,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
};

enum : int {
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
    CU_POINTER_ATTRIBUTE_CONTEXT = 1,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_MEMORYTYPE_DEVICE = 2,
    CU_STREAM_DEFAULT = 0,
    CU_STREAM_NON_BLOCKING = 1,
    CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
    CU_STREAM_SET_CAPTURE_DEPENDENCIES = 1,
    CU_EVENT_DEFAULT = 0,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_GRAPH_COND_ASSIGN_DEFAULT = 1,
    CU_GRAPH_COND_TYPE_IF = 0,
    CU_GRAPH_COND_TYPE_WHILE = 1,
    CU_GRAPH_NODE_TYPE_KERNEL = 0,
    CU_GRAPH_NODE_TYPE_MEMCPY = 1,
    CU_GRAPH_NODE_TYPE_MEMSET = 2,
    CU_GRAPH_NODE_TYPE_GRAPH = 4,
    CU_GRAPH_NODE_TYPE_EMPTY = 5,
    CU_GRAPH_NODE_TYPE_CONDITIONAL = 13,
    CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC = 1,
    CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC = 1,
    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
    CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD = 2,
    CU_GL_DEVICE_LIST_ALL = 1,
};

struct CUuuid {
    unsigned char bytes[16];
};

struct KernelNodeParams {  // CUDA_KERNEL_NODE_PARAMS_v2 and _v3
    CUfunction func;
    unsigned int grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    void** kernel_params;
    void** extra;
    void* kern;
    CUcontext ctx;
};

struct MemcpySide {
    std::size_t x_bytes, y, z, lod;
    int memory_type;
    const void* host;
    CUdeviceptr device;
    void* array;
    void* reserved;
    std::size_t pitch, height;
};

struct MemcpyNodeParams {  // CUDA_MEMCPY_NODE_PARAMS
    int flags, reserved;
    CUcontext ctx;
    MemcpySide src, dst;
    std::size_t width_bytes, height, depth;
};

struct MemsetNodeParams {  // CUDA_MEMSET_NODE_PARAMS_v2
    CUdeviceptr dst;
    std::size_t pitch;
    unsigned int value, element_size;
    std::size_t width, height;
    CUcontext ctx;
};

struct ConditionalNodeParams {
    std::uint64_t handle;
    int type;
    unsigned int size;
    CUgraph* bodies;
    CUcontext ctx;
};

struct NodeParams {  // CUgraphNodeParams
    int type = 0;
    int reserved0[3] = {};
    union {
        long long reserved1[29] = {};
        KernelNodeParams kernel;
        MemcpyNodeParams memcpy;
        MemsetNodeParams memset;
        struct {
            CUgraph graph;
        } child;
        ConditionalNodeParams conditional;
    };
    long long reserved2 = 0;
};
static_assert(sizeof(NodeParams) == 256, "the driver's CUgraphNodeParams has 256 bytes");
static_assert(sizeof(MemcpyNodeParams) == 216 && sizeof(KernelNodeParams) == 72, "the driver's layouts");

struct EdgeData {  // CUgraphEdgeData
    unsigned char from_port = 0, to_port = 0, type = 0, reserved[5] = {};
};

// X(member, exported symbol, parameters). The members carry the names of the manual.
#define WC_CUDA_FUNCTIONS(X)                                                                               \
    X(cuInit, "cuInit", (unsigned int))                                                                    \
    X(cuGetErrorName, "cuGetErrorName", (CUresult, const char**))                                          \
    X(cuDeviceGetCount, "cuDeviceGetCount", (int*))                                                        \
    X(cuDeviceGet, "cuDeviceGet", (CUdevice*, int))                                                        \
    X(cuDeviceGetName, "cuDeviceGetName", (char*, int, CUdevice))                                          \
    X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int*, int, CUdevice))                                 \
    X(cuDeviceGetUuid, "cuDeviceGetUuid_v2", (CUuuid*, CUdevice))                                          \
    X(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (std::size_t*, CUdevice))                                   \
    X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext*, CUdevice))                        \
    X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice))                               \
    X(cuCtxGetId, "cuCtxGetId", (CUcontext, unsigned long long*))                                          \
    X(cuCtxGetCurrent, "cuCtxGetCurrent", (CUcontext*))                                                    \
    X(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext))                                                \
    X(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext*))                                                 \
    X(cuCtxGetDevice, "cuCtxGetDevice", (CUdevice*))                                                       \
    X(cuMemGetInfo, "cuMemGetInfo_v2", (std::size_t*, std::size_t*))                                       \
    X(cuMemAllocAsync, "cuMemAllocAsync", (CUdeviceptr*, std::size_t, CUstream))                           \
    X(cuMemFreeAsync, "cuMemFreeAsync", (CUdeviceptr, CUstream))                                           \
    X(cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr*, std::size_t))                                            \
    X(cuMemFree, "cuMemFree_v2", (CUdeviceptr))                                                            \
    X(cuMemAllocHost, "cuMemAllocHost_v2", (void**, std::size_t))                                          \
    X(cuMemFreeHost, "cuMemFreeHost", (void*))                                                             \
    X(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (CUdeviceptr, const void*, std::size_t))                            \
    X(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void*, CUdeviceptr, std::size_t))                                  \
    X(cuMemcpyAsync, "cuMemcpyAsync", (CUdeviceptr, CUdeviceptr, std::size_t, CUstream))                   \
    X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr, const void*, std::size_t, CUstream))        \
    X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void*, CUdeviceptr, std::size_t, CUstream))              \
    X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (CUdeviceptr, CUdeviceptr, std::size_t, CUstream))        \
    X(cuMemsetD8Async, "cuMemsetD8Async", (CUdeviceptr, unsigned char, std::size_t, CUstream))             \
    X(cuMemsetD32Async, "cuMemsetD32Async", (CUdeviceptr, unsigned int, std::size_t, CUstream))            \
    X(cuPointerGetAttribute, "cuPointerGetAttribute", (void*, int, CUdeviceptr))                           \
    X(cuModuleLoadDataEx, "cuModuleLoadDataEx", (CUmodule*, const void*, unsigned int, int*, void**))      \
    X(cuModuleUnload, "cuModuleUnload", (CUmodule))                                                        \
    X(cuModuleGetFunction, "cuModuleGetFunction", (CUfunction*, CUmodule, const char*))                    \
    X(cuModuleGetGlobal, "cuModuleGetGlobal_v2", (CUdeviceptr*, std::size_t*, CUmodule, const char*))      \
    X(cuFuncSetAttribute, "cuFuncSetAttribute", (CUfunction, int, int))                                    \
    X(cuFuncGetAttribute, "cuFuncGetAttribute", (int*, int, CUfunction))                                   \
    X(cuFuncGetParamInfo, "cuFuncGetParamInfo", (CUfunction, std::size_t, std::size_t*, std::size_t*))     \
    X(cuFuncLoad, "cuFuncLoad", (CUfunction))                                                              \
    X(cuLaunchKernel, "cuLaunchKernel",                                                                    \
      (CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,     \
       unsigned int, CUstream, void**, void**))                                                            \
    X(cuStreamCreate, "cuStreamCreate", (CUstream*, unsigned int))                                         \
    X(cuStreamDestroy, "cuStreamDestroy_v2", (CUstream))                                                   \
    X(cuStreamSynchronize, "cuStreamSynchronize", (CUstream))                                              \
    X(cuStreamIsCapturing, "cuStreamIsCapturing", (CUstream, int*))                                        \
    X(cuStreamGetCaptureInfo, "cuStreamGetCaptureInfo_v3",                                                 \
      (CUstream, int*, std::uint64_t*, CUgraph*, const CUgraphNode**, const EdgeData**, std::size_t*))     \
    X(cuStreamUpdateCaptureDependencies, "cuStreamUpdateCaptureDependencies_v2",                           \
      (CUstream, CUgraphNode*, const EdgeData*, std::size_t, unsigned int))                                \
    X(cuEventCreate, "cuEventCreate", (CUevent*, unsigned int))                                            \
    X(cuEventDestroy, "cuEventDestroy_v2", (CUevent))                                                      \
    X(cuEventRecord, "cuEventRecord", (CUevent, CUstream))                                                 \
    X(cuEventQuery, "cuEventQuery", (CUevent))                                                             \
    X(cuEventSynchronize, "cuEventSynchronize", (CUevent))                                                 \
    X(cuEventElapsedTime, "cuEventElapsedTime", (float*, CUevent, CUevent))                                \
    X(cuGraphCreate, "cuGraphCreate", (CUgraph*, unsigned int))                                            \
    X(cuGraphDestroy, "cuGraphDestroy", (CUgraph))                                                         \
    X(cuGraphAddNode, "cuGraphAddNode_v2",                                                                 \
      (CUgraphNode*, CUgraph, const CUgraphNode*, const EdgeData*, std::size_t, NodeParams*))              \
    X(cuGraphConditionalHandleCreate, "cuGraphConditionalHandleCreate",                                    \
      (std::uint64_t*, CUgraph, CUcontext, unsigned int, unsigned int))                                    \
    X(cuGraphKernelNodeSetParams, "cuGraphKernelNodeSetParams_v2", (CUgraphNode, const KernelNodeParams*)) \
    X(cuGraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams_v2",                                 \
      (CUgraphExec, CUgraphNode, const KernelNodeParams*))                                                 \
    X(cuGraphInstantiate, "cuGraphInstantiateWithFlags", (CUgraphExec*, CUgraph, unsigned long long))      \
    X(cuGraphExecDestroy, "cuGraphExecDestroy", (CUgraphExec))                                             \
    X(cuGraphUpload, "cuGraphUpload", (CUgraphExec, CUstream))                                             \
    X(cuGraphLaunch, "cuGraphLaunch", (CUgraphExec, CUstream))

// OpenGL interoperability: not every driver has it (WSL), so these may be null.
#define WC_CUDA_GL_FUNCTIONS(X)                                                                            \
    X(cuGLGetDevices, "cuGLGetDevices_v2", (unsigned int*, CUdevice*, unsigned int, int))                  \
    X(cuGraphicsGLRegisterBuffer, "cuGraphicsGLRegisterBuffer",                                            \
      (CUgraphicsResource*, unsigned int, unsigned int))                                                   \
    X(cuGraphicsUnregisterResource, "cuGraphicsUnregisterResource", (CUgraphicsResource))                  \
    X(cuGraphicsMapResources, "cuGraphicsMapResources", (unsigned int, CUgraphicsResource*, CUstream))     \
    X(cuGraphicsUnmapResources, "cuGraphicsUnmapResources", (unsigned int, CUgraphicsResource*, CUstream)) \
    X(cuGraphicsResourceGetMappedPointer, "cuGraphicsResourceGetMappedPointer_v2",                         \
      (CUdeviceptr*, std::size_t*, CUgraphicsResource))

struct Driver {
#define WC_CUDA_MEMBER(name, symbol, parameters) CUresult(*name) parameters = nullptr;
    WC_CUDA_FUNCTIONS(WC_CUDA_MEMBER)
    WC_CUDA_GL_FUNCTIONS(WC_CUDA_MEMBER)
#undef WC_CUDA_MEMBER
    int version = 0;  // 1000 * major + 10 * minor, as cuDriverGetVersion says it
};

// Oldest driver that has every function above: CUDA 12.4.
constexpr int kOldestDriver = 12040;

// Loads and initialises the driver once. Throws WC_ERROR_DEVICE: no driver, too old, no device. Failures are
// kept: asking again repeats the message without trying again.
const Driver& driver();
// Whether driver() has succeeded before: if not, this process holds no device memory of ours.
bool driver_loaded() noexcept;

// A failed driver call. `sticky`: the context is lost, every later call in it fails as well.
class CudaError : public Error {
  public:
    CudaError(CUresult result, const std::string& message, wc_error code = WC_ERROR_CUDA)
        : Error(code, message), result_(result) {}
    CUresult result() const noexcept { return result_; }
    bool sticky() const noexcept;

  private:
    CUresult result_;
};

// Throws CudaError for anything but CUDA_SUCCESS: "<call>: <error name>; <what now>".
void check(CUresult result, const char* call, const std::string& doing = {});

// "CUDA_ERROR_OUT_OF_MEMORY", also for codes that this file does not list.
std::string result_name(CUresult result);

// Calls a driver function and throws when it fails.
#define WC_CUDA(function, ...) \
    ::whitecap::cu::check(::whitecap::cu::driver().function(__VA_ARGS__), #function)

}  // namespace whitecap::cu
