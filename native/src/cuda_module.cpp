#include "cuda_module.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

#include "file.hpp"
#include "sha256.hpp"
#include "text.hpp"

namespace whitecap {

using namespace cu;

namespace {

constexpr std::uint64_t kMostModuleBytes = std::uint64_t{1} << 30;
constexpr int kOldestPtx = 50;
constexpr std::size_t kRecentModules = 8;
constexpr int kPortableCluster = 8;
constexpr int kSelfOrderingArch = 90;  // from here on our 2-D entries wait for their predecessors themselves
constexpr const char* kForwardSuffix = "_cuda_kernel_forward";
constexpr const char* kGrid2dSuffix = "_cuda_grid2d";
constexpr const char* kBands2dSuffix = "_cuda_bands2d";
constexpr const char* kStencilSuffix = "_cuda_stencil";
constexpr std::size_t kMostTableBytes = 4096;

struct Candidate {
    std::string target, filename, digest;
};

bool ends_with(const std::string& text, const std::string& suffix) {
    return text.size() >= suffix.size() &&
           text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

// Without the suffix of the 1-D entry.
std::string base_symbol(const std::string& symbol) {
    return symbol.substr(0, symbol.size() - std::string(kForwardSuffix).size());
}

// "sm_90a" for a recorded CUDA module; empty when its file is no CUDA binary.
std::string recorded_target(const Module& module) {
    constexpr std::size_t kArchSuffix = 6;  // of the compile recipe: 0 none, 1 "a", 2 "f"
    const char* const suffix = module.recipe[kArchSuffix] == 1   ? "a"
                               : module.recipe[kArchSuffix] == 2 ? "f"
                                                                 : "";
    if (ends_with(module.binary_filename, ".cubin")) return text("sm_", module.arch, suffix);
    if (ends_with(module.binary_filename, ".ptx")) return text("ptx_", module.arch, suffix);
    return {};
}

std::vector<Candidate> candidates_for(const Capture& capture, const std::string& hash) {
    std::vector<Candidate> result;
    for (const Module& module : capture.modules) {
        if (module.hash != hash) continue;
        const std::string target = recorded_target(module);
        if (!target.empty()) result.push_back({target, module.binary_filename, module.binary_digest});
    }
    for (const ModuleAlternative& other : capture.alternatives) {
        const bool cuda = other.target.rfind("sm_", 0) == 0 || other.target.rfind("ptx_", 0) == 0;
        if (other.module_hash == hash && cuda) result.push_back({other.target, other.filename, other.digest});
    }
    return result;
}

Bytes read_image(const ModuleSource& source, const Candidate& candidate) {
    ModuleBinary binary = source.find(candidate.filename);
    if (!binary.path.empty()) binary.bytes = read_file(binary.path, kMostModuleBytes);
    if (!candidate.digest.empty() &&
        sha256_hex(binary.bytes.data(), binary.bytes.size()) != candidate.digest) {
        fail(WC_ERROR_MODULE, "module file ", quoted(candidate.filename),
             " is not the one that was captured (its SHA-256 differs); restore it or capture again");
    }
    binary.bytes.push_back(std::byte{0});  // PTX is text
    return std::move(binary.bytes);
}

std::string listed(const std::vector<Candidate>& candidates) {
    std::string result;
    for (const Candidate& candidate : candidates) result += (result.empty() ? "" : ", ") + candidate.target;
    return result.empty() ? "no CUDA binary" : result;
}

std::string module_name(const Capture& capture, const std::string& hash) {
    for (const Module& module : capture.modules) {
        if (module.hash == hash) return module.name;
    }
    return hash;
}

bool wrong_for_device(CUresult result) {
    return result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
           result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_INVALID_IMAGE;
}

int arch_of(const std::string& target) {
    return std::atoi(target.c_str() + target.find('_') + 1);
}

// Ids are never used again, unlike handles.
unsigned long long current_context_id() {
    CUcontext context = nullptr;
    unsigned long long id = 0;
    WC_CUDA(cuCtxGetCurrent, &context);
    WC_CUDA(cuCtxGetId, context, &id);
    return id;
}

// The modules loaded last, newest first.
struct RecentModules {
    struct Entry {
        unsigned long long context;
        Bytes image;
        std::shared_ptr<const CudaModule> module;
    };
    std::mutex mutex;
    std::deque<Entry> entries;

    std::shared_ptr<const CudaModule> find(unsigned long long context, const Bytes& image) const {
        for (const Entry& entry : entries) {
            if (entry.context == context && entry.image == image) return entry.module;
        }
        return nullptr;
    }
    void add(unsigned long long context, const Bytes& image, std::shared_ptr<const CudaModule> module) {
        entries.push_front({context, image, std::move(module)});
        if (entries.size() > kRecentModules) entries.pop_back();
    }
};

RecentModules& recent_modules() {
    static auto* const recent = new RecentModules;  // never destroyed: the driver may be gone by then
    return *recent;
}

}  // namespace

std::vector<std::string> cuda_targets(int major, int minor) {
    const int arch = 10 * major + minor;
    std::vector<std::string> result{text("sm_", arch, 'a')};
    for (int i = arch; i >= 10 * major; --i) {
        if (major >= 10) result.push_back(text("sm_", i, 'f'));
        result.push_back(text("sm_", i));
    }
    result.push_back(text("ptx_", arch, 'a'));
    for (int i = arch; i >= kOldestPtx; --i) result.push_back(text("ptx_", i));
    return result;
}

std::shared_ptr<const CudaModule> CudaModule::load(const Bytes& image, std::string& log) {
    const unsigned long long context = current_context_id();
    RecentModules& recent = recent_modules();
    const std::lock_guard<std::mutex> lock(recent.mutex);
    if (auto found = recent.find(context, image)) return found;

    char buffer[2048] = {};
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {buffer, reinterpret_cast<void*>(sizeof buffer)};
    CUmodule handle = nullptr;
    const CUresult result = driver().cuModuleLoadDataEx(&handle, image.data(), 2, options, values);
    log = buffer;
    check(result, "cuModuleLoadDataEx");
    const std::shared_ptr<const CudaModule> module(new CudaModule(handle, context));
    recent.add(context, image, module);
    return module;
}

CudaModule::~CudaModule() {
    // Another context may be current by now, or this one gone: then its modules went, or go, with it.
    CUcontext context = nullptr;
    unsigned long long id = 0;
    const Driver& cuda = driver();
    if (cuda.cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != nullptr &&
        cuda.cuCtxGetId(context, &id) == CUDA_SUCCESS && id == context_id_) {
        cuda.cuModuleUnload(handle_);
    }
}

CUfunction CudaModule::find(const std::string& symbol) const {
    CUfunction function = nullptr;
    const CUresult result = driver().cuModuleGetFunction(&function, handle_, symbol.c_str());
    if (result == CUDA_ERROR_NOT_FOUND) return nullptr;
    check(result, "cuModuleGetFunction", symbol);
    WC_CUDA(cuFuncLoad, function);
    return function;
}

std::vector<std::int32_t> CudaModule::table(const std::string& symbol) const {
    CUdeviceptr address = 0;
    std::size_t size = 0;
    const CUresult result = driver().cuModuleGetGlobal(&address, &size, handle_, symbol.c_str());
    if (result == CUDA_ERROR_NOT_FOUND || size > kMostTableBytes) return {};
    check(result, "cuModuleGetGlobal", symbol);
    std::vector<std::int32_t> table(size / sizeof(std::int32_t));
    WC_CUDA(cuMemcpyDtoH, table.data(), address, table.size() * sizeof table[0]);
    return table;
}

CudaModules::CudaModules(const Capture& capture, const ModuleSource& source, const CudaDevice& device)
    : capture_(capture), source_(source), device_(device) {}

CudaModules::Loaded CudaModules::load(const std::string& hash) const {
    const std::vector<Candidate> candidates = candidates_for(capture_, hash);
    std::string refused;
    for (const std::string& target : cuda_targets(device_.major, device_.minor)) {
        for (const Candidate& candidate : candidates) {
            if (candidate.target != target) continue;
            std::string log;
            try {
                return {CudaModule::load(read_image(source_, candidate), log), target};
            } catch (const CudaError& error) {
                if (!wrong_for_device(error.result())) throw;
                refused += text("; ", candidate.filename, ": ", error.what(), log.empty() ? "" : " (",
                                log.substr(0, log.find('\n')), log.empty() ? "" : ")");
            }
        }
    }
    fail(WC_ERROR_MODULE, "module ", quoted(module_name(capture_, hash)), ": found ", listed(candidates),
         "; ", device_.name, " needs sm_", device_.arch(), " or PTX up to ptx_", device_.arch(),
         "; capture again with --target sm_", device_.arch(), refused);
}

const CudaModules::Loaded& CudaModules::module(const std::string& hash) {
    auto found = modules_.find(hash);
    if (found == modules_.end()) found = modules_.emplace(hash, load(hash)).first;
    return found->second;
}

CudaKernel CudaModules::prepare(const Loaded& loaded, const Kernel& kernel, const Launch& launch,
                                const std::string& symbol) const {
    CudaKernel result;
    if (fits_grid2d(launch) && ends_with(symbol, kForwardSuffix)) {
        if (has_many_blocks(launch))
            result.function = loaded.module->find(base_symbol(symbol) + kBands2dSuffix);
        result.bands = result.function != nullptr;
        if (!result.bands) result.function = loaded.module->find(base_symbol(symbol) + kGrid2dSuffix);
        result.grid2d = result.function != nullptr;
        result.programmatic = result.grid2d && arch_of(loaded.target) >= kSelfOrderingArch;
    }
    if (result.function == nullptr) result.function = loaded.module->find(symbol);
    if (result.function == nullptr) {
        fail(WC_ERROR_SYMBOL, "kernel ", quoted(kernel.key), ": its module (", loaded.target,
             ") has no symbol ", quoted(symbol),
             "; the module files belong to another capture, restore them or capture again");
    }
    if (result.grid2d) return result;
    const int shared = int(launch.forward ? kernel.forward_smem : kernel.backward_smem);
    const CUresult granted =
        driver().cuFuncSetAttribute(result.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared);
    check(granted, "cuFuncSetAttribute",
          text("kernel ", quoted(kernel.key), " with ", shared, " bytes of shared memory"));
    if (launch.cluster_dim > kPortableCluster && device_.arch() >= 90) {
        WC_CUDA(cuFuncSetAttribute, result.function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    }
    int most_threads = 0;
    WC_CUDA(cuFuncGetAttribute, &most_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, result.function);
    if (launch.block_dim > most_threads) {
        fail(WC_ERROR_REPLAY, "launch of ", quoted(kernel.key), ": blocks of ", launch.block_dim,
             " threads given, this kernel allows ", most_threads, " on ", device_.name);
    }
    return result;
}

std::pair<const Kernel*, std::string> CudaModules::recorded(const Launch& launch) const {
    const Kernel* const kernel = find_kernel(capture_, launch.module_hash, launch.kernel_key);
    const std::string symbol = kernel == nullptr ? ""
                               : launch.forward  ? kernel->forward_name
                                                 : kernel->backward_name;
    if (symbol.empty()) {
        fail(WC_ERROR_SYMBOL, "launch of ", quoted(launch.kernel_key), ": the capture has no ",
             launch.forward ? "forward" : "backward", " kernel of that name; capture again");
    }
    return {kernel, symbol};
}

const CudaKernel& CudaModules::kernel_for(const Launch& launch) {
    const auto [kernel, symbol] = recorded(launch);
    // Two launches of one kernel may use different entries.
    const char* const entry = !fits_grid2d(launch) ? "" : has_many_blocks(launch) ? "#bands" : "#2d";
    const Key key{launch.module_hash, symbol + entry};
    auto found = kernels_.find(key);
    if (found == kernels_.end()) {
        found = kernels_.emplace(key, prepare(module(launch.module_hash), *kernel, launch, symbol)).first;
    }
    return found->second;
}

const StencilKernel* CudaModules::stencil_for(const Launch& launch) {
    const auto [kernel, symbol] = recorded(launch);
    if (!fits_grid2d(launch) || !ends_with(symbol, kForwardSuffix)) return nullptr;
    const auto [found, added] = stencils_.try_emplace(Key{launch.module_hash, symbol});
    if (added) {
        const std::string name = base_symbol(symbol) + kStencilSuffix;
        const Loaded& loaded = module(launch.module_hash);
        found->second = parse_stencil_table(loaded.module->table(name));
        if (!found->second) return nullptr;
        auto& shapes = found->second->shapes;
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            shapes[i].function = loaded.module->find(text(name, i));
            if (shapes[i].function == nullptr)
                fail(WC_ERROR_SYMBOL, "module has no symbol ", quoted(text(name, i)), "; capture again");
        }
        const auto has_no_room = [](const StencilShape& shape) {
            return shape.staged && driver().cuFuncSetAttribute(
                                       shape.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       int(shape.shared_bytes())) != CUDA_SUCCESS;
        };
        shapes.erase(std::remove_if(shapes.begin(), shapes.end(), has_no_room), shapes.end());
        found->second->programmatic = arch_of(loaded.target) >= kSelfOrderingArch;
    }
    return found->second ? &*found->second : nullptr;
}

void check_parameters(CUfunction function, const std::string& symbol, const std::vector<std::size_t>& sizes) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::size_t offset = 0, size = 0;
        const CUresult result = driver().cuFuncGetParamInfo(function, i, &offset, &size);
        if (result == CUDA_SUCCESS && size == sizes[i]) continue;
        fail(WC_ERROR_MODULE, "kernel ", quoted(symbol), ": parameter ", i, " has ", sizes[i],
             " bytes in the capture and ", result == CUDA_SUCCESS ? text(size) : std::string("no place"),
             " in the module; the module files belong to another capture, restore them or capture again");
    }
    std::size_t offset = 0, size = 0;
    if (driver().cuFuncGetParamInfo(function, sizes.size(), &offset, &size) == CUDA_SUCCESS) {
        fail(WC_ERROR_MODULE, "kernel ", quoted(symbol), ": the capture gives ", sizes.size(),
             " parameters and the module wants more; the module files belong to another capture");
    }
}

}  // namespace whitecap
