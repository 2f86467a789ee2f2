// Choosing a module binary for this processor.
#include "module_choice.hpp"

#include <algorithm>

#include "cpu_topology.hpp"
#include "text.hpp"

namespace whitecap {
namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
    return out.empty() ? "none" : out;
}

std::vector<const ModuleAlternative*> alternatives_of(const Capture& capture, const Module& module) {
    std::vector<const ModuleAlternative*> found;
    for (const ModuleAlternative& alternative : capture.alternatives) {
        if (alternative.module_hash == module.hash) found.push_back(&alternative);
    }
    return found;
}

}  // namespace

std::shared_ptr<CpuModule> load_cpu_module(const Capture& capture, const Module& module,
                                           const ModuleSource& source) {
    const std::vector<std::string> targets = cpu_targets();
    const auto alternatives = alternatives_of(capture, module);
    std::string absent;  // a file that was left out of the folder is no error while another one serves
    for (const std::string& target : targets) {
        for (const ModuleAlternative* alternative : alternatives) {
            if (alternative->target != target) continue;
            ModuleBinary binary;
            try {
                binary = source.find(alternative->filename);
            } catch (const Error& error) {
                if (absent.empty()) absent = error.what();
                continue;
            }
            return CpuModule::load(std::move(binary), alternative->digest);
        }
    }
    const auto same_file = [&](const ModuleAlternative* a) { return a->filename == module.binary_filename; };
    const bool wrong_target = std::any_of(alternatives.begin(), alternatives.end(), same_file);
    if (!module.binary_filename.empty() && !wrong_target) {
        return CpuModule::load(source.find(module.binary_filename));
    }
    if (!absent.empty()) fail(WC_ERROR_MODULE, absent);
    std::vector<std::string> recorded;
    for (const ModuleAlternative* alternative : alternatives) recorded.push_back(alternative->target);
    fail(WC_ERROR_MODULE, "module ", quoted(module.name), " has binaries for ", joined(recorded),
         "; this processor runs ", joined(targets), "; capture again and ask for one of these targets");
}

CpuEntries find_entries(const CpuModule& module, const std::string& forward_name,
                        const std::string& backward_name) {
    const auto find = [&](const std::string& symbol) {
        return symbol.empty() ? nullptr : module.find(symbol);
    };
    CpuEntries entries;
    entries.forward = reinterpret_cast<CpuEntries::Forward>(find(forward_name));
    entries.backward = reinterpret_cast<CpuEntries::Backward>(find(backward_name));
    const std::string suffix = "_cpu_forward";
    if (forward_name.size() <= suffix.size()) return entries;
    const std::size_t base = forward_name.size() - suffix.size();
    if (forward_name.compare(base, suffix.size(), suffix) != 0) return entries;
    entries.range = reinterpret_cast<CpuEntries::Range>(find(forward_name.substr(0, base) + "_cpu_range"));
    entries.rows = static_cast<const int*>(find(forward_name.substr(0, base) + "_cpu_rows"));
    return entries;
}

}  // namespace whitecap
