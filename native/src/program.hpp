// A runnable capture: its own memory, its modules loaded, ready to be launched again and again.
//
// State stays in the regions from launch to launch. A Program is used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "capture.hpp"

namespace whitecap {

// Where module binaries come from: a folder beside the file, or memory.
struct ModuleBinary {
    std::string filename;
    std::string path;  // not empty: the binary lies in this file and `bytes` is empty
    Bytes bytes;
};

class ModuleSource {
  public:
    virtual ~ModuleSource() = default;
    // Throws WC_ERROR_MODULE, naming what was looked for and where.
    virtual ModuleBinary find(const std::string& filename) const = 0;
};

class Program {
  public:
    virtual ~Program() = default;

    const Capture& capture() const { return *capture_; }
    const std::shared_ptr<const Capture>& shared_capture() const { return capture_; }
    virtual DeviceType device() const = 0;
    // Bytes of device (or host) memory held by regions.
    virtual std::uint64_t memory_bytes() const = 0;

    // Base address of a region: host memory on the CPU, device memory on CUDA. nullptr when there is no such
    // region.
    virtual void* region_pointer(std::uint32_t region) const = 0;

    // Whole-region copies by binding name; `size` must equal the region's. Host pointers on both devices. On
    // CUDA both are ordered on the program's stream (or `stream`); get_parameter returns when the bytes are
    // there.
    virtual void set_parameter(const std::string& name, const void* data, std::size_t size) = 0;
    virtual void get_parameter(const std::string& name, void* data, std::size_t size) = 0;

    // One replay of the whole stream. CPU: synchronous. CUDA: asynchronous on `stream`, null = the program's
    // own stream.
    virtual void launch(void* stream = nullptr) = 0;
    virtual void synchronize() = 0;

  protected:
    explicit Program(std::shared_ptr<const Capture> capture) : capture_(std::move(capture)) {}
    std::shared_ptr<const Capture> capture_;
};

struct CpuOptions {
    int threads = 0;  // 0: chosen from the machine and the size of each launch
    // A module that cannot be loaded is an error of the first launch, unless its kernels were set before (C
    // API).
    bool defer_missing = false;
    bool row_chains = true;  // false: launch by launch, with the same bits (cpu_row_chain.hpp)
};

struct CudaOptions {
    int ordinal = 0;          // device, when no context is current or given
    void* context = nullptr;  // CUcontext of the caller's; null: the device's primary context
};

// Both validate, load modules and fill regions; both throw Error.
std::unique_ptr<Program> make_cpu_program(std::shared_ptr<const Capture> capture, const ModuleSource& modules,
                                          const CpuOptions& options = {});
std::unique_ptr<Program> make_cuda_program(std::shared_ptr<const Capture> capture,
                                           const ModuleSource& modules, const CudaOptions& options = {});

}  // namespace whitecap
