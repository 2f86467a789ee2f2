// Which binary of a module the CPU runs: the best that this processor can, among the recorded one and its
// alternatives.
#pragma once

#include <memory>

#include "cpu_launch.hpp"
#include "cpu_module.hpp"

namespace whitecap {

// Loads it, digest checked where one is recorded. Throws WC_ERROR_MODULE: what there is, what this processor
// runs.
std::shared_ptr<CpuModule> load_cpu_module(const Capture& capture, const Module& module,
                                           const ModuleSource& source);

// The entries of a kernel, found by its forward symbol ("<base>_cpu_forward"). What the module lacks stays
// null.
CpuEntries find_entries(const CpuModule& module, const std::string& forward_name,
                        const std::string& backward_name);

}  // namespace whitecap
