// Replay on the CPU: everything is resolved once, a launch walks a list of prepared steps and allocates
// nothing.
#include "cpu_program.hpp"

#include <algorithm>
#include <cstring>

#include "cpu_topology.hpp"
#include "cuda_memory.hpp"
#include "module_choice.hpp"
#include "program_checks.hpp"
#include "text.hpp"
#include "validate.hpp"

namespace whitecap {
namespace {

constexpr std::uint64_t kMostIterations = std::uint64_t{1} << 24;  // of one WHILE

bool condition_holds(const std::byte* condition) {
    std::int32_t value;
    std::memcpy(&value, condition, sizeof value);
    return value != 0;
}

// Writes the value once, then doubles what is there.
void fill(std::byte* dst, const std::byte* value, std::size_t value_size, std::size_t count) {
    const std::size_t total = value_size * count;
    const bool one_byte = std::all_of(value, value + value_size, [&](std::byte b) { return b == value[0]; });
    if (one_byte) {
        std::memset(dst, static_cast<int>(value[0]), total);
        return;
    }
    constexpr std::size_t kBlock = 16384;  // stays in the first-level cache while it is copied on and on
    std::memcpy(dst, value, value_size);
    std::size_t done = value_size;
    while (done < total) {
        const std::size_t source = std::min(done, std::max(value_size, kBlock / value_size * value_size));
        const std::size_t count_now = std::min(source, total - done);
        std::memcpy(dst + done, dst, count_now);
        done += count_now;
    }
}

std::shared_ptr<const Capture> for_cpu(std::shared_ptr<const Capture> capture) {
    if (capture->device == DeviceType::cpu) return capture;
    return std::make_shared<const Capture>(retarget(*capture, DeviceType::cpu, 0));
}

}  // namespace

CpuProgram::CpuProgram(std::shared_ptr<const Capture> capture, const ModuleSource& modules,
                       const CpuOptions& options)
    : Program(for_cpu(std::move(capture))), threads_(options.threads), row_chains_(options.row_chains) {
    if (threads_ < 0 || threads_ > ThreadPool::kMaxThreads) {
        fail(WC_ERROR_ARGUMENT, "threads: ", threads_, ", allowed are 0 (chosen from the machine) to ",
             ThreadPool::kMaxThreads);
    }
    validate(*capture_);
    require_runnable(*capture_, DeviceType::cpu);
    load_kernels(modules, options.defer_missing);
    allocate_regions();
    steps_ = prepare(capture_->operations);
}

void CpuProgram::allocate_regions() {
    std::uint64_t needed = 0;
    for (const Region& region : capture_->regions) needed += region.external == nullptr ? region.size : 0;
    if (const std::uint64_t available = physical_memory(); available != 0 && needed > available) {
        fail(WC_ERROR_MEMORY, "the capture needs ", human_bytes(needed),
             " for its regions, this machine has ", human_bytes(available));
    }
    const bool live_on_gpu = uses_device_memory_of_caller(*capture_);
    for (const Region& region : capture_->regions) {
        if (region.external != nullptr && !live_on_gpu) {
            regions_.emplace(region.id, region.external);
            continue;
        }
        owned_.emplace_back(region.size);
        std::byte* memory = owned_.back().data();
        if (region.external != nullptr) {
            if (!read_device_memory(region.external, region.size, memory))
                std::memcpy(memory, region.external, region.size);
        } else if (region.has_data && region.size > 0) {
            std::memcpy(memory, region.data.data(), region.data.size());
        }
        regions_.emplace(region.id, memory);
    }
}

void CpuProgram::load_kernels(const ModuleSource& modules, bool defer) {
    std::map<std::string, std::shared_ptr<CpuModule>> loaded;
    std::map<std::string, std::string> failures;
    for (const Module& module : capture_->modules) {
        try {
            loaded[module.hash] = load_cpu_module(*capture_, module, modules);
            modules_.push_back(loaded[module.hash]);
        } catch (const Error& error) {
            if (!defer) throw;
            failures[module.hash] = error.what();
        }
    }
    for (const Kernel& kernel : capture_->kernels) {
        const KernelId id{kernel.module_hash, kernel.key};
        const auto module = loaded.find(kernel.module_hash);
        if (module == loaded.end()) {
            missing_[id] = failures[kernel.module_hash];
            continue;
        }
        kernels_[id] = find_entries(*module->second, kernel.forward_name, kernel.backward_name);
    }
}

std::byte* CpuProgram::address(std::int64_t region, std::uint64_t offset) const {
    return regions_.at(static_cast<std::uint32_t>(region)) + offset;
}

CpuLaunch CpuProgram::prepare_launch(const Launch& launch) {
    const KernelId id{launch.module_hash, launch.kernel_key};
    const CpuEntries entries = kernels_[id];
    CpuLaunch step(launch, entries, [this](const Relocation& relocation) -> const void* {
        const bool data = relocation.kind == RelocationKind::data_pointer;
        return data ? address(relocation.region, relocation.region_offset) : nullptr;
    });
    if (!step.ready() && missing_.count(id) == 0) {
        const Kernel& kernel = *find_kernel(*capture_, launch.module_hash, launch.kernel_key);
        fail(WC_ERROR_SYMBOL, "kernel ", quoted(launch.kernel_key), ": its module has no symbol ",
             quoted(launch.forward ? kernel.forward_name : kernel.backward_name),
             "; the module does not belong to this capture");
    }
    largest_job_ = std::max(largest_job_, step.splittable());
    return step;
}

// Takes the launch at `first`, or the chain of launches that begins there; returns how many.
std::size_t CpuProgram::prepare_launches(const std::vector<Operation>& operations, std::size_t first,
                                         std::vector<Step>& steps) {
    RowChainRules rules;
    std::vector<CpuLaunch> launches;
    for (std::size_t i = first; i < operations.size(); ++i) {
        const auto* launch = std::get_if<Launch>(&operations[i].op);
        if (launch == nullptr ||
            (!rules.accept(*launch, kernels_[{launch->module_hash, launch->kernel_key}]) && i > first))
            break;
        launches.push_back(prepare_launch(*launch));
        if (rules.rows() == 0) break;  // the first one cannot be in a chain
    }
    const std::size_t count = launches.size();
    // Below, plain passes are as fast: the arrays stay in the shared cache from launch to launch.
    const bool pays = rules.rows() * rules.row_bytes() > shared_cache() / 2;
    if (row_chains_ && count > 1 && pays) {
        steps.emplace_back(std::make_unique<CpuRowChain>(std::move(launches), rules));
    } else {
        for (CpuLaunch& launch : launches) steps.emplace_back(std::move(launch));
    }
    return count;
}

std::vector<CpuProgram::Step> CpuProgram::prepare(const std::vector<Operation>& operations) {
    std::vector<Step> steps;
    steps.reserve(operations.size());
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const Operation& operation = operations[i];
        if (std::holds_alternative<Launch>(operation.op)) {
            i += prepare_launches(operations, i, steps) - 1;
        } else if (const auto* copy = std::get_if<MemoryCopy>(&operation.op)) {
            steps.emplace_back(CopyStep{address(copy->dst_region, copy->dst_offset),
                                        address(copy->src_region, copy->src_offset), copy->size});
        } else if (const auto* upload = std::get_if<MemoryUpload>(&operation.op)) {
            steps.emplace_back(CopyStep{address(upload->dst_region, upload->dst_offset), upload->data.data(),
                                        upload->data.size()});
        } else if (const auto* set = std::get_if<MemorySet>(&operation.op)) {
            steps.emplace_back(SetStep{address(set->region, set->offset), set->value & 0xff, set->size});
        } else if (const auto* tile = std::get_if<MemoryTile>(&operation.op)) {
            if (tile->count > 0)
                steps.emplace_back(FillStep{address(tile->region, tile->offset), tile->value.data(),
                                            tile->value.size(), tile->count});
        } else if (const auto* conditional = std::get_if<Conditional>(&operation.op)) {
            auto branches = std::make_unique<Branches>();
            branches->condition = address(conditional->region, conditional->offset);
            branches->loop = conditional->loop;
            branches->a = prepare(conditional->branch_a);
            branches->b = prepare(conditional->branch_b);
            steps.emplace_back(std::move(branches));
        }  // what is left is alloc, which asks for nothing
    }
    return steps;
}

void CpuProgram::set_kernel(const std::string& module_hash, const std::string& key,
                            const CpuEntries& entries) {
    const KernelId id{module_hash, key};
    if (find_kernel(*capture_, module_hash, key) == nullptr) {
        fail(WC_ERROR_SYMBOL, "kernel ", quoted(key), " of module ", quoted(module_hash),
             " is not in the capture");
    }
    kernels_[id] = entries;
    missing_.erase(id);
    largest_job_ = 0;
    steps_ = prepare(capture_->operations);
}

std::uint64_t CpuProgram::memory_bytes() const {
    std::uint64_t total = 0;
    for (const Region& region : capture_->regions) total += region.size;
    return total;
}

void* CpuProgram::region_pointer(std::uint32_t region) const {
    const auto found = regions_.find(region);
    return found == regions_.end() ? nullptr : found->second;
}

std::pair<void*, std::size_t> CpuProgram::parameter(const std::string& name, std::size_t size) const {
    const Binding* binding = find_binding(*capture_, name);
    if (binding == nullptr)
        fail(WC_ERROR_PARAMETER, "parameter ", quoted(name), " does not exist; the capture has ",
             list_bindings(*capture_));
    const Region& region = *find_region(*capture_, binding->region);
    if (region.size != size) {
        fail(WC_ERROR_PARAMETER, "parameter ", quoted(name), ": ", size, " bytes given, it has ",
             region.size);
    }
    return {region_pointer(region.id), static_cast<std::size_t>(region.size)};
}

void CpuProgram::set_parameter(const std::string& name, const void* data, std::size_t size) {
    const auto [memory, bytes] = parameter(name, size);
    if (bytes > 0) std::memmove(memory, data, bytes);  // the data may be a view of the region itself
}

void CpuProgram::get_parameter(const std::string& name, void* data, std::size_t size) {
    const auto [memory, bytes] = parameter(name, size);
    if (bytes > 0) std::memmove(data, memory, bytes);
}

void CpuProgram::require_kernels() {
    if (missing_.empty()) return;
    const auto& [id, reason] = *missing_.begin();
    fail(WC_ERROR_MODULE, "kernel ", quoted(id.second), " has no code: ", reason);
}

void CpuProgram::launch(void*) {
    require_kernels();
    ThreadPool::Session session(threads_, largest_job_);
    run(steps_, session);
}

void CpuProgram::run(const std::vector<Step>& steps, ThreadPool::Session& session) {
    for (const Step& step : steps) {
        if (const auto* launch = std::get_if<CpuLaunch>(&step)) {
            launch->run(session);
        } else if (const auto* copy = std::get_if<CopyStep>(&step)) {
            if (copy->size > 0) std::memmove(copy->dst, copy->src, copy->size);
        } else if (const auto* set = std::get_if<SetStep>(&step)) {
            std::memset(set->dst, set->value, set->size);
        } else if (const auto* tile = std::get_if<FillStep>(&step)) {
            fill(tile->dst, tile->value, tile->value_size, tile->count);
        } else if (const auto* chain = std::get_if<std::unique_ptr<CpuRowChain>>(&step)) {
            (*chain)->run(session);
        } else {
            run_branches(*std::get<std::unique_ptr<Branches>>(step), session);
        }
    }
}

void CpuProgram::run_branches(const Branches& branches, ThreadPool::Session& session) {
    if (!branches.loop) return run(condition_holds(branches.condition) ? branches.a : branches.b, session);
    if (branches.a.empty()) return;
    for (std::uint64_t i = 0; condition_holds(branches.condition); ++i) {
        if (i == kMostIterations) {
            fail(WC_ERROR_REPLAY, "while: its condition still holds after ", kMostIterations,
                 " iterations; the loop never ends");
        }
        run(branches.a, session);
    }
}

std::unique_ptr<Program> make_cpu_program(std::shared_ptr<const Capture> capture, const ModuleSource& modules,
                                          const CpuOptions& options) {
    return std::make_unique<CpuProgram>(std::move(capture), modules, options);
}

}  // namespace whitecap
