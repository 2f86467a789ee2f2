// Captures made from another one: with module binaries named, with other parameters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "capture.hpp"

namespace whitecap {

// What the caller knows of a module's binary; `hash` says which module.
struct ModuleFile {
    std::string hash, name, binary_filename;
    std::uint32_t arch = 0;
};

// Every module of the capture must be named once. Throws WC_ERROR_ARGUMENT.
Capture with_modules(const Capture& capture, const std::vector<ModuleFile>& files,
                     std::vector<ModuleAlternative> alternatives);

// (name, an address inside the region's external memory). Throws WC_ERROR_ARGUMENT for an address that is in
// none.
using NamedAddress = std::pair<std::string, std::uintptr_t>;
Capture with_parameters(const Capture& capture, const std::vector<NamedAddress>& inputs,
                        const std::vector<NamedAddress>& outputs);

}  // namespace whitecap
