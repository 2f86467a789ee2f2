// Finding module binaries in a folder or in memory.
#include "module_source.hpp"

#include "file.hpp"
#include "reader.hpp"
#include "text.hpp"

namespace whitecap {

ModuleBinary FolderModules::find(const std::string& filename) const {
    if (!is_plain_filename(filename)) {
        fail(WC_ERROR_MODULE, "module file name ", quoted(filename),
             " is not a plain one inside the modules folder");
    }
    const std::string path = folder_ + "/" + filename;
    if (!file_exists(path)) {
        fail(WC_ERROR_MODULE, "module file ", path,
             " does not exist; a capture and its modules folder belong together");
    }
    return {filename, path, {}};
}

void MemoryModules::add(const std::string& filename, Bytes bytes) {
    if (!files_.emplace(filename, std::move(bytes)).second) {
        fail(WC_ERROR_ARGUMENT, "module file ", quoted(filename), " was given twice");
    }
}

ModuleBinary MemoryModules::find(const std::string& filename) const {
    const auto found = files_.find(filename);
    if (found == files_.end()) {
        fail(WC_ERROR_MODULE, "module file ", quoted(filename), " is not among the ", files_.size(),
             " that were given");
    }
    return {filename, "", found->second};
}

}  // namespace whitecap
