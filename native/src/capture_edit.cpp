// Captures made from another one.
#include "capture_edit.hpp"

#include <algorithm>

#include "reader.hpp"
#include "text.hpp"
#include "validate.hpp"

namespace whitecap {

Capture with_modules(const Capture& capture, const std::vector<ModuleFile>& files,
                     std::vector<ModuleAlternative> alternatives) {
    Capture result = capture;
    for (const ModuleFile& file : files) {
        const auto found = std::find_if(result.modules.begin(), result.modules.end(),
                                        [&](const Module& module) { return module.hash == file.hash; });
        if (found == result.modules.end())
            fail(WC_ERROR_ARGUMENT, "with_modules: no module has the hash ", quoted(file.hash));
        if (!is_plain_filename(file.binary_filename)) {
            fail(WC_ERROR_ARGUMENT, "with_modules: file name ", quoted(file.binary_filename),
                 " must be a plain one, without / \\ or :");
        }
        if ((file.arch != 0) != (capture.device == DeviceType::cuda)) {
            fail(WC_ERROR_ARGUMENT, "with_modules: architecture ", file.arch, " for module ",
                 quoted(file.name),
                 capture.device == DeviceType::cuda ? "; a CUDA module has one" : "; on the CPU it is 0");
        }
        if (!file.name.empty()) found->name = file.name;
        found->binary_filename = file.binary_filename;
        found->arch = file.arch;
    }
    result.alternatives = std::move(alternatives);
    validate(result);
    return result;
}

namespace {

Binding bind(const Capture& capture, const NamedAddress& parameter) {
    for (const Region& region : capture.regions) {
        const auto base = reinterpret_cast<std::uintptr_t>(region.external);
        if (base != 0 && parameter.second >= base &&
            (parameter.second < base + region.size || parameter.second == base)) {
            return {parameter.first, region.id};
        }
    }
    fail(WC_ERROR_ARGUMENT, "parameter ", quoted(parameter.first), ": address ", Hex{parameter.second},
         " lies in no array that the capture uses; name an array that a launch, copy or fill of it touches");
}

}  // namespace

Capture with_parameters(const Capture& capture, const std::vector<NamedAddress>& inputs,
                        const std::vector<NamedAddress>& outputs) {
    Capture result = capture;
    result.bindings.clear();
    for (const NamedAddress& parameter : inputs) result.bindings.push_back(bind(capture, parameter));
    result.input_count = static_cast<std::uint32_t>(result.bindings.size());
    for (const NamedAddress& parameter : outputs) result.bindings.push_back(bind(capture, parameter));
    require_clear_names(result);
    validate(result);
    return result;
}

}  // namespace whitecap
