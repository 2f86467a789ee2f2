// The functions of apic.h, over Program. On CUDA their copies go through the legacy default stream, as in
// Warp.
#include "whitecap/apic.h"

#include "c_api.hpp"
#include "module_source.hpp"
#include "reader.hpp"

using namespace whitecap;

namespace {

APICGraph* make_graph(Capture decoded, const ModuleSource& modules, void* context, int device_type,
                      const std::string& name) {
    if (device_type != WP_APIC_DEVICE_CUDA && device_type != WP_APIC_DEVICE_CPU) {
        fail(WC_ERROR_ARGUMENT, "load_graph: device type ", device_type,
             ", allowed are 0 (CUDA) and 1 (CPU)");
    }
    if (static_cast<int>(decoded.device) != device_type) {
        const bool cpu = decoded.device == DeviceType::cpu;
        fail(WC_ERROR_ARGUMENT, name, ": was captured for ", cpu ? "the CPU" : "CUDA", ", asked for is ",
             cpu ? "CUDA" : "the CPU", "; wc_load can run a file on the other device");
    }
    auto capture = std::make_shared<const Capture>(std::move(decoded));
    auto graph = std::make_unique<wc_graph>();
    if (device_type == WP_APIC_DEVICE_CPU) {
        graph->program = make_cpu_program(std::move(capture), modules, {0, true});
    } else {
        graph->program = make_cuda_program(std::move(capture), modules, {0, context});
    }
    return graph.release();
}

// Kernel `index` of the graph, or nullptr.
const Kernel* kernel_at(const APICGraph* graph, int index) {
    if (graph == nullptr || index < 0) return nullptr;
    const auto& kernels = graph->program->capture().kernels;
    return static_cast<std::size_t>(index) < kernels.size() ? &kernels[static_cast<std::size_t>(index)]
                                                            : nullptr;
}

}  // namespace

int wp_init(const char*) {
    return 0;
}
const char* wp_get_error_string(void) {
    return wc_last_error_message();
}

APICGraph* wp_apic_load_graph(void* context, const char* path, int device_type) {
    return guarded<APICGraph*>(nullptr, [&] {
        const std::string name = require(path, "wp_apic_load_graph", "path");
        return make_graph(read_capture_file(name), FolderModules(modules_folder(name)), context, device_type,
                          wrp_path(name));
    });
}

APICGraph* wp_apic_load_graph_ex(void* context, const char* path, int device_type, const char*) {
    return wp_apic_load_graph(context, path, device_type);
}

APICGraph* wp_apic_load_graph_from_bytes(void* context, const void* data, size_t size,
                                         const APICModuleBytes* modules, uint32_t num_modules,
                                         int device_type) {
    return guarded<APICGraph*>(nullptr, [&] {
        const char* function = "wp_apic_load_graph_from_bytes";
        require(data, function, "data");
        if (num_modules > 0) require(modules, function, "modules");
        MemoryModules source;
        for (uint32_t i = 0; i < num_modules; ++i) {
            require(modules[i].filename, function, "the file name of a module");
            const auto* bytes = static_cast<const std::byte*>(modules[i].data);
            if (modules[i].size > 0) require(bytes, function, "the data of a module");
            source.add(modules[i].filename, Bytes(bytes, bytes + modules[i].size));
        }
        return make_graph(read_capture(data, size), source, context, device_type, "the capture");
    });
}

void wp_apic_destroy_graph(APICGraph* graph) {
    wc_destroy(graph);
}

bool wp_apic_set_param(APICGraph* graph, const char* name, const void* data, size_t size) {
    return wc_set_param(graph, name, data, size, CudaProgram::legacy_stream()) == WC_OK;
}

bool wp_apic_get_param(APICGraph* graph, const char* name, void* data, size_t size) {
    return wc_get_param(graph, name, data, size, CudaProgram::legacy_stream()) == WC_OK;
}

void* wp_apic_get_param_ptr(APICGraph* graph, const char* name) {
    return wc_param_pointer(graph, name);
}
int wp_apic_get_num_params(APICGraph* graph) {
    return static_cast<int>(wc_param_count(graph));
}

const char* wp_apic_get_param_name(APICGraph* graph, int index) {
    return index < 0 ? nullptr : wc_param_name(graph, static_cast<size_t>(index));
}

size_t wp_apic_get_param_size(APICGraph* graph, const char* name) {
    return wc_param_size(graph, name);
}
void* wp_apic_get_cuda_graph(APICGraph* graph) {
    return wc_cuda_graph(graph);
}
void* wp_apic_get_cuda_graph_exec(APICGraph* graph) {
    return wc_cuda_graph_exec(graph);
}

bool wp_apic_launch(APICGraph* graph, void* stream) {
    return wc_launch(graph, stream == nullptr ? CudaProgram::legacy_stream() : stream) == WC_OK;
}

bool wp_apic_cpu_replay_graph(APICGraph* graph) {
    return guarded(false, [&] { return cpu_program_of(graph, "wp_apic_cpu_replay_graph").launch(), true; });
}

void wp_apic_register_loaded_cpu_kernel(APICGraph* graph, const char* kernel_key, const char* module_hash,
                                        void* forward_fn, void* backward_fn) {
    const char* function = "wp_apic_register_loaded_cpu_kernel";
    guarded(false, [&] {
        CpuEntries entries;
        entries.forward = reinterpret_cast<CpuEntries::Forward>(forward_fn);
        entries.backward = reinterpret_cast<CpuEntries::Backward>(backward_fn);
        cpu_program_of(graph, function)
            .set_kernel(require(module_hash, function, "module_hash"),
                        require(kernel_key, function, "kernel_key"), entries);
        return true;
    });
}

int wp_apic_get_num_kernels(APICGraph* graph) {
    return graph == nullptr ? 0 : static_cast<int>(graph->program->capture().kernels.size());
}

const char* wp_apic_get_kernel_key(APICGraph* graph, int index) {
    const Kernel* kernel = kernel_at(graph, index);
    return kernel == nullptr ? nullptr : kernel->key.c_str();
}

const char* wp_apic_get_kernel_module_hash(APICGraph* graph, int index) {
    const Kernel* kernel = kernel_at(graph, index);
    return kernel == nullptr ? nullptr : kernel->module_hash.c_str();
}

const char* wp_apic_get_kernel_module_binary_filename(APICGraph* graph, int index) {
    const Kernel* kernel = kernel_at(graph, index);
    if (kernel == nullptr) return nullptr;
    for (const Module& module : graph->program->capture().modules) {
        if (module.hash == kernel->module_hash) return module.binary_filename.c_str();
    }
    return nullptr;
}

const char* wp_apic_get_kernel_forward_name(APICGraph* graph, int index) {
    const Kernel* kernel = kernel_at(graph, index);
    return kernel == nullptr ? nullptr : kernel->forward_name.c_str();
}

const char* wp_apic_get_kernel_backward_name(APICGraph* graph, int index) {
    const Kernel* kernel = kernel_at(graph, index);
    return kernel == nullptr ? nullptr : kernel->backward_name.c_str();
}
