// Look-ups in a Capture.
#include "capture.hpp"

#include <algorithm>

namespace whitecap {

std::size_t launch_count(const std::vector<Operation>& operations) {
    std::size_t count = 0;
    for (const Operation& operation : operations) {
        if (std::holds_alternative<Launch>(operation.op)) ++count;
        if (const auto* branches = std::get_if<Conditional>(&operation.op)) {
            count += launch_count(branches->branch_a) + launch_count(branches->branch_b);
        }
    }
    return count;
}

const Region* find_region(const Capture& capture, std::int64_t id) {
    if (id < 0) return nullptr;
    const auto found =
        std::lower_bound(capture.regions.begin(), capture.regions.end(), id,
                         [](const Region& region, std::int64_t wanted) { return region.id < wanted; });
    return found != capture.regions.end() && found->id == id ? &*found : nullptr;
}

const Binding* find_binding(const Capture& capture, const std::string& name) {
    for (auto binding = capture.bindings.rbegin(); binding != capture.bindings.rend(); ++binding) {
        if (binding->name == name) return &*binding;
    }
    return nullptr;
}

std::string list_bindings(const Capture& capture) {
    std::string names;
    for (const Binding& binding : capture.bindings) names += (names.empty() ? "" : ", ") + binding.name;
    return names.empty() ? "no parameters" : names;
}

const Kernel* find_kernel(const Capture& capture, const std::string& module_hash, const std::string& key) {
    for (const Kernel& kernel : capture.kernels) {
        if (kernel.key == key && kernel.module_hash == module_hash) return &kernel;
    }
    return nullptr;
}

}  // namespace whitecap
