// The same program for the other kind of device: symbols, block sizes and grid kinds follow the naming rule.
#include "capture.hpp"
#include "text.hpp"

namespace whitecap {
namespace {

constexpr std::int32_t kCudaBlock = 256;

struct Suffixes {
    const char *cpu, *cuda;
};

constexpr Suffixes kForward{"_cpu_forward", "_cuda_kernel_forward"};
constexpr Suffixes kBackward{"_cpu_backward", "_cuda_kernel_backward"};

bool strip_suffix(std::string& name, std::string_view suffix) {
    if (name.size() <= suffix.size() || name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0)
        return false;
    name.resize(name.size() - suffix.size());
    return true;
}

void retarget_launch(Launch& launch, DeviceType device) {
    if (device == DeviceType::cpu && launch.smem_bytes > 0) {
        fail(WC_ERROR_UNSUPPORTED, "retarget: the launch of ", quoted(launch.kernel_key), " uses ",
             launch.smem_bytes,
             " bytes of shared memory, which a CPU launch has not; capture it for the CPU instead");
    }
    launch.dim = launch.size;
    launch.max_blocks = 0;
    launch.block_dim = device == DeviceType::cuda ? kCudaBlock : 0;
    launch.smem_bytes = 0;
    launch.grid_stride = 0;
    launch.cluster_dim = 1;
}

void retarget_operations(std::vector<Operation>& operations, DeviceType device) {
    for (Operation& operation : operations) {
        if (auto* launch = std::get_if<Launch>(&operation.op)) retarget_launch(*launch, device);
        if (auto* conditional = std::get_if<Conditional>(&operation.op)) {
            retarget_operations(conditional->branch_a, device);
            retarget_operations(conditional->branch_b, device);
        }
    }
}

}  // namespace

std::string symbol_for(const std::string& symbol, DeviceType device) {
    if (symbol.empty()) return symbol;
    for (const Suffixes& suffixes : {kForward, kBackward}) {
        std::string base = symbol;
        if (strip_suffix(base, suffixes.cuda) || strip_suffix(base, suffixes.cpu)) {
            return base + (device == DeviceType::cpu ? suffixes.cpu : suffixes.cuda);
        }
    }
    fail(WC_ERROR_UNSUPPORTED, "retarget: kernel symbol ", quoted(symbol), " ends in neither \"",
         kForward.cpu, "\" nor \"", kForward.cuda,
         "\" (nor their backward forms), so its name on the other device is unknown");
}

Capture retarget(const Capture& capture, DeviceType device, std::uint32_t arch) {
    if (device == DeviceType::cuda && (arch == 0 || arch > 0x7fffffff)) {
        fail(WC_ERROR_ARGUMENT, "retarget: architecture ", arch,
             " given for CUDA; pass 10 * major + minor, 90 for sm_90");
    }
    if (device == DeviceType::cpu && arch != 0) {
        fail(WC_ERROR_ARGUMENT, "retarget: architecture ", arch, " given for the CPU, where it is always 0");
    }
    if (capture.device == device && capture.target_arch == arch) return capture;
    Capture result = capture;
    result.target_arch = arch;
    for (Module& module : result.modules) module.arch = arch;
    if (capture.device == device) return result;  // another CUDA architecture: the launches stay as they are

    result.device = device;
    for (Kernel& kernel : result.kernels) {
        kernel.forward_name = symbol_for(kernel.forward_name, device);
        kernel.backward_name = symbol_for(kernel.backward_name, device);
        kernel.forward_smem = kernel.backward_smem = 0;
        kernel.block_dim = device == DeviceType::cuda ? kCudaBlock : 1;
    }
    for (Module& module : result.modules) {
        // The recorded artifact belongs to the other device; what is left is the "binary only" pattern.
        module.binary_digest.clear();
        module.source_filename.clear();
        module.source_digest.clear();
        module.binary_kind = 0;
        module.fallback_reason = 1;
        module.recipe = {};
    }
    retarget_operations(result.operations, device);
    return result;
}

}  // namespace whitecap
