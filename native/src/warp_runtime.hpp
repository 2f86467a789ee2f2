// What a kernel compiled by Warp for the CPU finds in its host process.
#pragma once

#include <string>

namespace whitecap {

// Address of a function that such an object leaves undefined; nullptr when nothing here provides it.
void* find_runtime_symbol(const std::string& name);

}  // namespace whitecap
