// The functions of whitecap.h, over Program.
#include "c_api.hpp"

#include <cstring>

#include "module_source.hpp"
#include "reader.hpp"
#include "version.hpp"

namespace whitecap {
namespace {

struct LastError {
    wc_error code = WC_OK;
    std::string message;
};

thread_local LastError last_error;

MemoryModules memory_modules(const wc_module_bytes* modules, std::size_t count) {
    MemoryModules source;
    for (std::size_t i = 0; i < count; ++i) {
        require(modules[i].filename, "wc_load", "the file name of a module");
        if (modules[i].size > 0) require(modules[i].data, "wc_load", "the data of a module");
        const auto* data = static_cast<const std::byte*>(modules[i].data);
        source.add(modules[i].filename, Bytes(data, data + modules[i].size));
    }
    return source;
}

std::unique_ptr<ModuleSource> modules_of(const wc_load_desc& desc) {
    if (desc.modules != nullptr) {
        if (desc.modules_folder != nullptr)
            fail(WC_ERROR_ARGUMENT, "wc_load: modules and modules_folder are both given; give one");
        return std::make_unique<MemoryModules>(memory_modules(desc.modules, desc.module_count));
    }
    if (desc.module_count != 0)
        fail(WC_ERROR_ARGUMENT, "wc_load: module_count is ", desc.module_count, " and modules is NULL");
    if (desc.modules_folder != nullptr) return std::make_unique<FolderModules>(desc.modules_folder);
    if (desc.path != nullptr) return std::make_unique<FolderModules>(modules_folder(desc.path));
    return std::make_unique<MemoryModules>();
}

Capture capture_of(const wc_load_desc& desc) {
    Limits limits;
    if (desc.memory_limit != 0) limits.memory_bytes = desc.memory_limit;
    if ((desc.path != nullptr) == (desc.data != nullptr)) {
        fail(WC_ERROR_ARGUMENT, "wc_load: path and data are ", desc.path != nullptr ? "both" : "not",
             " given; give exactly one");
    }
    return desc.path != nullptr ? read_capture_file(desc.path, limits)
                                : read_capture(desc.data, desc.size, limits);
}

DeviceType device_of(const wc_load_desc& desc, const Capture& capture) {
    int device;  // a C program may have put any number there
    static_assert(sizeof device == sizeof desc.device);
    std::memcpy(&device, &desc.device, sizeof device);
    if (device == WC_DEVICE_DEFAULT) return capture.device;
    if (device == WC_DEVICE_CPU) return DeviceType::cpu;
    if (device == WC_DEVICE_CUDA) return DeviceType::cuda;
    fail(WC_ERROR_ARGUMENT, "wc_load: device ", device, ", allowed are 0 (default), 1 (CPU), 2 (CUDA)");
}

wc_graph* load(const wc_load_desc& desc) {
    auto capture = std::make_shared<const Capture>(capture_of(desc));
    const std::unique_ptr<ModuleSource> modules = modules_of(desc);
    auto graph = std::make_unique<wc_graph>();
    if (device_of(desc, *capture) == DeviceType::cpu) {
        graph->program =
            make_cpu_program(std::move(capture), *modules, {desc.threads, false, desc.plain_launches == 0});
    } else {
        graph->program =
            make_cuda_program(std::move(capture), *modules, {desc.cuda_ordinal, desc.cuda_context});
    }
    return graph.release();
}

}  // namespace

void set_last_error(wc_error code, const char* message) noexcept {
    last_error.code = code;
    try {
        last_error.message = message;
    } catch (const std::bad_alloc&) {
        last_error.message.clear();
    }
}

CudaProgram& cuda_program_of(wc_graph* graph, const char* function) {
    Program& program = program_of(graph, function);
    if (program.device() != DeviceType::cuda)
        fail(WC_ERROR_UNSUPPORTED, function, ": the graph runs on the CPU; this needs a CUDA graph");
    return static_cast<CudaProgram&>(program);
}

CpuProgram& cpu_program_of(wc_graph* graph, const char* function) {
    Program& program = program_of(graph, function);
    if (program.device() != DeviceType::cpu)
        fail(WC_ERROR_UNSUPPORTED, function, ": the graph runs on CUDA; this needs a CPU graph");
    return static_cast<CpuProgram&>(program);
}

const Region& parameter_region(const Capture& capture, const std::string& name) {
    const Binding* binding = find_binding(capture, name);
    if (binding == nullptr) {
        fail(WC_ERROR_PARAMETER, "parameter ", quoted(name), " does not exist; the capture has ",
             list_bindings(capture));
    }
    return *find_region(capture, binding->region);
}

}  // namespace whitecap

using namespace whitecap;

wc_error wc_last_error(void) {
    return last_error.code;
}
const char* wc_last_error_message(void) {
    return last_error.message.c_str();
}
const char* wc_error_name(wc_error error) {
    return error_name(error);
}
const char* wc_error_summary(wc_error error) {
    return error_summary(error);
}

wc_graph* wc_load(const wc_load_desc* desc) {
    return guarded<wc_graph*>(nullptr, [&] { return load(*require(desc, "wc_load", "desc")); });
}

void wc_destroy(wc_graph* graph) {
    delete graph;
}

wc_error wc_launch(wc_graph* graph, void* stream) {
    return checked([&] { program_of(graph, "wc_launch").launch(stream); });
}

wc_error wc_synchronize(wc_graph* graph) {
    return checked([&] { program_of(graph, "wc_synchronize").synchronize(); });
}

wc_error wc_set_param(wc_graph* graph, const char* name, const void* data, size_t size, void* stream) {
    return checked([&] {
        Program& program = program_of(graph, "wc_set_param");
        require(name, "wc_set_param", "name");
        if (size > 0) require(data, "wc_set_param", "data");
        if (program.device() == DeviceType::cpu) return program.set_parameter(name, data, size);
        static_cast<CudaProgram&>(program).set_parameter_on(name, data, size, stream);
    });
}

namespace {

wc_error get_param(wc_graph* graph, const char* name, void* data, size_t size, void* stream, bool wait) {
    return checked([&] {
        Program& program = program_of(graph, "wc_get_param");
        require(name, "wc_get_param", "name");
        if (size > 0) require(data, "wc_get_param", "data");
        if (program.device() == DeviceType::cpu) return program.get_parameter(name, data, size);
        static_cast<CudaProgram&>(program).get_parameter_on(name, data, size, stream, wait);
    });
}

}  // namespace

wc_error wc_get_param(wc_graph* graph, const char* name, void* data, size_t size, void* stream) {
    return get_param(graph, name, data, size, stream, true);
}

wc_error wc_get_param_async(wc_graph* graph, const char* name, void* data, size_t size, void* stream) {
    return get_param(graph, name, data, size, stream, false);
}

size_t wc_param_count(const wc_graph* graph) {
    return graph == nullptr ? 0 : graph->program->capture().bindings.size();
}

const char* wc_param_name(const wc_graph* graph, size_t index) {
    if (index >= wc_param_count(graph)) return nullptr;
    return graph->program->capture().bindings[index].name.c_str();
}

size_t wc_param_size(const wc_graph* graph, const char* name) {
    return guarded<size_t>(0, [&] {
        const Capture& capture = program_of(graph, "wc_param_size").capture();
        return static_cast<size_t>(parameter_region(capture, require(name, "wc_param_size", "name")).size);
    });
}

int wc_param_is_output(const wc_graph* graph, const char* name) {
    return guarded(-1, [&] {
        const Capture& capture = program_of(graph, "wc_param_is_output").capture();
        parameter_region(capture, require(name, "wc_param_is_output", "name"));
        const Binding* binding = find_binding(capture, name);
        return binding - capture.bindings.data() >= static_cast<std::ptrdiff_t>(capture.input_count) ? 1 : 0;
    });
}

void* wc_param_pointer(const wc_graph* graph, const char* name) {
    return guarded<void*>(nullptr, [&] {
        const Program& program = program_of(graph, "wc_param_pointer");
        return program.region_pointer(
            parameter_region(program.capture(), require(name, "wc_param_pointer", "name")).id);
    });
}

size_t wc_launch_count(const wc_graph* graph) {
    return graph == nullptr ? 0 : launch_count(graph->program->capture().operations);
}

wc_device wc_graph_device(const wc_graph* graph) {
    if (graph == nullptr) return WC_DEVICE_DEFAULT;
    return graph->program->device() == DeviceType::cpu ? WC_DEVICE_CPU : WC_DEVICE_CUDA;
}

uint64_t wc_memory_bytes(const wc_graph* graph) {
    return graph == nullptr ? 0 : graph->program->memory_bytes();
}

void* wc_cuda_graph(wc_graph* graph) {
    return guarded<void*>(nullptr, [&] { return cuda_program_of(graph, "wc_cuda_graph").graph(); });
}

void* wc_cuda_graph_exec(wc_graph* graph) {
    return guarded<void*>(nullptr, [&] { return cuda_program_of(graph, "wc_cuda_graph_exec").exec(); });
}

void* wc_cuda_stream(wc_graph* graph) {
    return guarded<void*>(nullptr, [&] { return cuda_program_of(graph, "wc_cuda_stream").stream(); });
}

void* wc_cuda_context(wc_graph* graph) {
    return guarded<void*>(nullptr, [&] { return cuda_program_of(graph, "wc_cuda_context").context(); });
}

wc_error wc_cuda_add_to_graph(wc_graph* graph, void* parent, void* const* dependencies, size_t count,
                              void** node) {
    return checked([&] {
        CudaProgram& program = cuda_program_of(graph, "wc_cuda_add_to_graph");
        require(parent, "wc_cuda_add_to_graph", "parent");
        if (count > 0) require(dependencies, "wc_cuda_add_to_graph", "dependencies");
        void* end = program.add_to_graph(parent, dependencies, count);
        if (node != nullptr) *node = end;
    });
}

wc_error wc_cuda_add_to_capture(wc_graph* graph, void* stream) {
    return checked([&] {
        cuda_program_of(graph, "wc_cuda_add_to_capture")
            .add_to_capture(require(stream, "wc_cuda_add_to_capture", "stream"));
    });
}

const char* wc_version(void) {
    return kVersion;
}
int wc_thread_count(void) {
    return ThreadPool::thread_count();
}

wc_error wc_set_thread_count(int count) {
    return checked([&] { ThreadPool::set_thread_count(count); });
}
