// Which processors this process may use, and what they can run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace whitecap {

// Logical processors in the affinity mask of the calling process, ascending. Empty when unknown.
std::vector<int> allowed_cpus();

// The logical processors that share a core with `cpu`, itself included.
std::vector<int> core_siblings(int cpu);

// Physical cores among the allowed processors, at most what the container's CPU quota gives; at least 1.
int usable_cores();

// Bytes of a core's second-level cache, and of the third-level cache that it shares; common sizes when
// unknown.
std::uint64_t second_level_cache();
std::uint64_t shared_cache();

// Module targets that this processor runs, best first.
std::vector<std::string> cpu_targets();

}  // namespace whitecap
