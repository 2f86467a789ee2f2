// A module binary loaded into this process: a shared library with kernel entries, or a relocatable object of
// Warp's. Kernels are native code: loading a module means trusting it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "elf_object.hpp"
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
    explicit CpuModule(std::string name) : name_(std::move(name)) {}
    void open_library(const ModuleBinary& binary);

    std::string name_;
    std::unique_ptr<ElfObject> object_;  // this one, or
    void* library_ = nullptr;
    int file_ =
        -1;  // memory file of the library, open as long as it: the loader tells libraries apart by path
};

}  // namespace whitecap
