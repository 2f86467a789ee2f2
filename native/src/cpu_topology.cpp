// Processors: affinity mask, cores, container quota, instruction sets.
#include "cpu_topology.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>

namespace whitecap {
namespace {

// First line of a small system file, or "".
std::string first_line(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "r");
    if (file == nullptr) return "";
    char line[256] = "";
    const bool got = std::fgets(line, sizeof line, file) != nullptr;
    std::fclose(file);
    if (!got) return "";
    line[std::strcspn(line, "\n")] = '\0';
    return line;
}

// "0-3,8" -> 0 1 2 3 8
std::vector<int> parse_cpu_list(const std::string& list) {
    std::vector<int> cpus;
    const char* at = list.c_str();
    while (*at != '\0') {
        char* end = nullptr;
        const long first = std::strtol(at, &end, 10);
        if (end == at) break;
        long last = first;
        if (*end == '-') last = std::strtol(end + 1, &end, 10);
        for (long cpu = first; cpu <= last && cpus.size() < 4096; ++cpu)
            cpus.push_back(static_cast<int>(cpu));
        at = *end == ',' ? end + 1 : end;
    }
    return cpus;
}

// Size of the first processor's cache of this level. The kernel's figure: the C library's is that of all
// sockets in some virtual machines.
std::uint64_t cache_size(int level, std::uint64_t fallback) {
    for (int index = 0; index < 8; ++index) {
        const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
        if (first_line(folder + "level") != std::to_string(level)) continue;
        const long kibibytes = std::strtol(first_line(folder + "size").c_str(), nullptr, 10);  // "32768K"
        if (kibibytes > 0) return static_cast<std::uint64_t>(kibibytes) << 10;
    }
    return fallback;
}

// Whole processors that a container's quota allows; a large number when there is none.
int quota_cores() {
    const std::string line = first_line("/sys/fs/cgroup/cpu.max");
    long long quota = 0, period = 0;
    if (std::sscanf(line.c_str(), "%lld %lld", &quota, &period) != 2 || quota <= 0 || period <= 0)
        return 1 << 20;
    return static_cast<int>(
        std::max(1.0, std::ceil(static_cast<double>(quota) / static_cast<double>(period))));
}

}  // namespace

std::vector<int> allowed_cpus() {
    std::vector<int> cpus;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
    return cpus;
}

std::vector<int> core_siblings(int cpu) {
    const std::string path =
        "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list";
    std::vector<int> siblings = parse_cpu_list(first_line(path));
    if (std::find(siblings.begin(), siblings.end(), cpu) == siblings.end()) siblings = {cpu};
    return siblings;
}

int usable_cores() {
    std::set<int> cores;
    for (int cpu : allowed_cpus()) cores.insert(core_siblings(cpu).front());
    const int found = cores.empty() ? static_cast<int>(std::thread::hardware_concurrency())
                                    : static_cast<int>(cores.size());
    return std::max(1, std::min(found, quota_cores()));
}

std::uint64_t second_level_cache() {
    static const std::uint64_t size = cache_size(2, std::uint64_t{1} << 20);
    return size;
}

std::uint64_t shared_cache() {
    static const std::uint64_t size = cache_size(3, std::uint64_t{16} << 20);
    return size;
}

std::vector<std::string> cpu_targets() {
#if defined(__x86_64__)
    std::vector<std::string> targets{"x86_64"};
    const auto add_best = [&](const char* target) { targets.insert(targets.begin(), target); };
    if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt")) return targets;
    add_best("x86_64_v2");
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    if (!v3) return targets;
    add_best("x86_64_v3");
    const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    if (v4) add_best("x86_64_v4");
    return targets;
#elif defined(__aarch64__)
    return {"aarch64"};
#else
    return {};
#endif
}

}  // namespace whitecap
