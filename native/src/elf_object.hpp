// A relocatable object (ELF ET_REL, x86-64), as Warp's CPU compiler writes them, linked into this process.
//
// Model: allocated sections are laid out in one mapping, code first, then constants, then writable data and a
// table of addresses (GOT); relocations are applied; pages get their final protection. Undefined symbols are
// looked up among the few functions that Warp's runtime offers to kernels, then in the C library, the maths
// library and the process.
//
// Limits: the relocation types that such objects hold, all of them 64-bit or checked to fit; no thread-local
// storage, no constructors, none of Warp's cooperative block functions. One unresolved symbol refuses the
// whole object.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "capture.hpp"

namespace whitecap {

class ElfObject {
  public:
    // `name` begins the messages. Throws WC_ERROR_MODULE.
    ElfObject(const std::string& name, const Bytes& bytes);
    ~ElfObject();
    ElfObject(const ElfObject&) = delete;
    ElfObject& operator=(const ElfObject&) = delete;

    // Address of a global symbol; nullptr when there is none of that name.
    void* find(const std::string& symbol) const noexcept;

  private:
    std::byte* mapping_ = nullptr;
    std::size_t mapped_ = 0;
    std::map<std::string, void*> symbols_;
};

}  // namespace whitecap
