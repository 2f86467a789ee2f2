// Which binary of a module the CPU runs: the best that this processor can, among the recorded one and its
// alternatives.
#pragma once

#include <memory>

#include "cpu_module.hpp"

namespace whitecap {

// Loads it, digest checked where one is recorded. Throws WC_ERROR_MODULE: what there is, what this processor
// runs.
std::shared_ptr<CpuModule> load_cpu_module(const Capture& capture, const Module& module,
                                           const ModuleSource& source);

// "<base>_cpu_forward" -> "<base>_cpu_range"; empty for a symbol that is named otherwise.
std::string range_symbol(const std::string& forward_name);

}  // namespace whitecap
