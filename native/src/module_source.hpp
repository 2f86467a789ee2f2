// The two places that module binaries come from.
#pragma once

#include <map>
#include <string>

#include "program.hpp"

namespace whitecap {

// Files of one folder, usually "<stem>_modules" beside the `.wrp`.
class FolderModules : public ModuleSource {
  public:
    explicit FolderModules(std::string folder) : folder_(std::move(folder)) {}
    ModuleBinary find(const std::string& filename) const override;

  private:
    std::string folder_;
};

class MemoryModules : public ModuleSource {
  public:
    // Throws WC_ERROR_ARGUMENT when the name is there already.
    void add(const std::string& filename, Bytes bytes);
    ModuleBinary find(const std::string& filename) const override;

  private:
    std::map<std::string, Bytes> files_;
};

}  // namespace whitecap
