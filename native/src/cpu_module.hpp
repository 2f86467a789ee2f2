// A module binary loaded into this process: a shared library with kernel entries.
//
// Limits: the relocatable objects that Warp writes (ELF ET_REL) are recognised and refused; `load` is where a
// linker for them would be called. Kernels are native code: loading a module means trusting it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "program.hpp"

namespace whitecap {

class CpuModule {
  public:
    // `digest`: SHA-256 that the bytes must have, or empty. Throws WC_ERROR_MODULE, WC_ERROR_IO.
    static std::shared_ptr<CpuModule> load(ModuleBinary binary, const std::string& digest = {});
    static std::shared_ptr<CpuModule> load_file(const std::string& path);

    ~CpuModule();
    CpuModule(const CpuModule&) = delete;
    CpuModule& operator=(const CpuModule&) = delete;

    // Address of a symbol; nullptr when the module has none of that name.
    void* find(const std::string& symbol) const noexcept;
    const std::string& name() const { return name_; }

  private:
    CpuModule(std::string name, void* library, int file)
        : name_(std::move(name)), library_(library), file_(file) {}

    std::string name_;
    void* library_;
    int file_;  // of the memory file, open as long as the library: the loader knows libraries by their path
};

}  // namespace whitecap
