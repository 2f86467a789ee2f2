// Module binaries on the GPU: which one fits the device, and the kernels found in it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture.hpp"
#include "cuda_context.hpp"
#include "cuda_launch.hpp"
#include "cuda_stencil.hpp"
#include "program.hpp"

namespace whitecap {

// What a device of this compute capability runs, best first: "sm_89", "sm_86", "sm_80", then "ptx_89" ...
// "ptx_50", which the driver compiles. Machine code runs on its own major version from its minor version on;
// PTX on anything newer.
std::vector<std::string> cuda_targets(int major, int minor);

// One loaded binary. The context that it was loaded in must be current for every call.
class CudaModule {
  public:
    // `image`: cubin, or PTX text ending in a zero. Throws CudaError; `log` gets the PTX compiler's words.
    // The last few modules stay loaded: a new capture of the same kernels starts at once, and unloading stops
    // the whole device.
    static std::shared_ptr<const CudaModule> load(const Bytes& image, std::string& log);
    ~CudaModule();
    CudaModule(const CudaModule&) = delete;
    CudaModule& operator=(const CudaModule&) = delete;

    // nullptr when the binary has no such kernel. Loads it now, so that no launch waits for it.
    cu::CUfunction find(const std::string& symbol) const;
    // The integers of a global array; empty when there is none.
    std::vector<std::int32_t> table(const std::string& symbol) const;

  private:
    CudaModule(cu::CUmodule handle, unsigned long long context_id)
        : handle_(handle), context_id_(context_id) {}
    cu::CUmodule handle_;
    unsigned long long context_id_;
};

// The modules of a capture, loaded as launches ask for them.
class CudaModules {
  public:
    // All three must outlive the object.
    CudaModules(const Capture& capture, const ModuleSource& source, const CudaDevice& device);

    // The entry that serves this launch, configured for it. Throws WC_ERROR_MODULE or WC_ERROR_SYMBOL.
    const CudaKernel& kernel_for(const Launch& launch);
    // Its entries for several steps at a time; nullptr when the module has none.
    const StencilKernel* stencil_for(const Launch& launch);

  private:
    struct Loaded {
        std::shared_ptr<const CudaModule> module;
        std::string target;
    };
    struct Key {
        std::string module_hash, symbol;
        bool operator<(const Key& other) const {
            return module_hash != other.module_hash ? module_hash < other.module_hash : symbol < other.symbol;
        }
    };
    const Loaded& module(const std::string& hash);
    // The kernel's record and its symbol. Throws WC_ERROR_SYMBOL.
    std::pair<const Kernel*, std::string> recorded(const Launch& launch) const;
    Loaded load(const std::string& hash) const;
    CudaKernel prepare(const Loaded& loaded, const Kernel& kernel, const Launch& launch,
                       const std::string& symbol) const;

    const Capture& capture_;
    const ModuleSource& source_;
    const CudaDevice& device_;
    std::map<std::string, Loaded> modules_;
    std::map<Key, CudaKernel> kernels_;
    std::map<Key, std::optional<StencilKernel>> stencils_;
};

// Throws WC_ERROR_MODULE when the kernel's parameters are not of these sizes.
void check_parameters(cu::CUfunction function, const std::string& symbol,
                      const std::vector<std::size_t>& sizes);

}  // namespace whitecap
