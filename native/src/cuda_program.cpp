#include "cuda_program.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <variant>
#include <vector>

#include "cuda_context.hpp"
#include "cuda_graph.hpp"
#include "cuda_memory.hpp"
#include "cuda_module.hpp"
#include "program_checks.hpp"
#include "text.hpp"

namespace whitecap {

using namespace cu;

namespace {

// The last work that a stream of the caller's got from the program, so that closing the program can wait for
// it.
struct StreamUse {
    CUstream stream;
    CUevent done;
};

// The capture as this device replays it.
std::shared_ptr<const Capture> for_device(std::shared_ptr<const Capture> capture, const CudaDevice& device) {
    if (capture->device == DeviceType::cuda) return capture;
    return std::make_shared<const Capture>(
        retarget(*capture, DeviceType::cuda, std::uint32_t(device.arch())));
}

bool same_relocation(const Relocation& a, const Relocation& b) {
    return a.value_offset == b.value_offset && a.region == b.region && a.region_offset == b.region_offset &&
           a.kind == b.kind;
}

// Whether the two differ in plain values at most: whatever holds a pointer must be the same.
bool same_but_values(const std::vector<Argument>& a, const std::vector<Argument>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Argument& x, const Argument& y) {
        return x.value.size() == y.value.size() && (x.relocations.empty() || x.value == y.value) &&
               x.access == y.access &&
               std::equal(x.relocations.begin(), x.relocations.end(), y.relocations.begin(),
                          y.relocations.end(), same_relocation);
    });
}

struct SameButValues {
    bool operator()(const Launch& a, const Launch& b) const {
        const auto rest = [](const Launch& l) {
            return std::tie(l.kernel_key, l.module_hash, l.shape, l.ndim, l.size, l.dim, l.max_blocks,
                            l.block_dim, l.smem_bytes, l.grid_stride, l.forward, l.cluster_dim);
        };
        return rest(a) == rest(b) && same_but_values(a.arguments, b.arguments) &&
               same_but_values(a.adjoints, b.adjoints);
    }
    bool operator()(const MemoryCopy& a, const MemoryCopy& b) const {
        return std::tie(a.dst_region, a.src_region, a.dst_offset, a.src_offset, a.size) ==
               std::tie(b.dst_region, b.src_region, b.dst_offset, b.src_offset, b.size);
    }
    bool operator()(const MemoryUpload& a, const MemoryUpload& b) const {
        return std::tie(a.dst_region, a.dst_offset, a.data) == std::tie(b.dst_region, b.dst_offset, b.data);
    }
    bool operator()(const MemorySet& a, const MemorySet& b) const {
        return std::tie(a.region, a.value, a.offset, a.size) == std::tie(b.region, b.value, b.offset, b.size);
    }
    bool operator()(const MemoryTile& a, const MemoryTile& b) const {
        return std::tie(a.region, a.offset, a.count, a.value) ==
               std::tie(b.region, b.offset, b.count, b.value);
    }
    bool operator()(const OpaqueOp& a, const OpaqueOp& b) const { return a.record == b.record; }
    // The driver cannot update nodes inside conditional bodies.
    bool operator()(const Conditional&, const Conditional&) const { return false; }
    template <typename A, typename B>
    bool operator()(const A&, const B&) const {
        return false;
    }
};

bool same_region(const Region& a, const Region& b) {
    return a.id == b.id && a.size == b.size && a.external == b.external;
}

bool same_but_values(const Capture& a, const Capture& b) {
    return std::equal(a.regions.begin(), a.regions.end(), b.regions.begin(), b.regions.end(), same_region) &&
           std::equal(a.operations.begin(), a.operations.end(), b.operations.begin(), b.operations.end(),
                      [](const Operation& x, const Operation& y) {
                          return std::visit(SameButValues{}, x.op, y.op);
                      });
}

}  // namespace

struct CudaProgram::State {
    std::optional<CudaContext> context;
    std::shared_ptr<const Capture> built_from;  // what modules and builder refer to
    CUstream stream = nullptr;
    std::optional<CudaMemory> memory;
    std::optional<CudaModules> modules;
    std::optional<CudaGraphBuilder> builder;
    std::vector<CudaGraphBuilder::KernelNode> kernel_nodes;
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    std::vector<StreamUse> uses;
    std::string lost;  // why the context is lost, once it is

    ~State() {
        if (!context) return;
        try {
            const CudaScope scope(*context);
            close();
        } catch (const Error&) {
            // The context went first, and everything in it.
        }
    }

    void close() {
        const Driver& cuda = driver();
        if (stream != nullptr) cuda.cuStreamSynchronize(stream);
        for (const StreamUse& use : uses) {
            cuda.cuEventSynchronize(use.done);
            cuda.cuEventDestroy(use.done);
        }
        if (exec != nullptr) cuda.cuGraphExecDestroy(exec);
        if (graph != nullptr) cuda.cuGraphDestroy(graph);
        builder.reset();
        modules.reset();
        memory.reset();
        if (stream == nullptr) return;
        cuda.cuStreamSynchronize(stream);  // the memory goes back to the device now
        cuda.cuStreamDestroy(stream);
    }

    void open(std::shared_ptr<const Capture> given, const ModuleSource& source) {
        built_from = std::move(given);
        const Capture& capture = *built_from;
        // Work on memory of the caller's is ordered after the default stream, where live arrays are written.
        const bool shared = uses_device_memory_of_caller(capture);
        WC_CUDA(cuStreamCreate, &stream, unsigned(shared ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING));
        memory.emplace(capture, context->device(), stream);
        modules.emplace(capture, source, context->device());
        builder.emplace(capture, *modules, *memory, *context);
        WC_CUDA(cuGraphCreate, &graph, 0u);
        builder->build(graph, {});
        kernel_nodes = builder->kernel_nodes();
        WC_CUDA(cuGraphInstantiate, &exec, graph, 0ull);
        WC_CUDA(cuGraphUpload, exec, stream);
        WC_CUDA(cuStreamSynchronize, stream);
    }

    // Runs `action` in the program's context. After a failure that loses the context, every call says so.
    template <typename Action>
    auto in_context(Action action) {
        if (!lost.empty()) fail(WC_ERROR_STATE, "this program stopped earlier: ", lost);
        try {
            const CudaScope scope(*context);
            return action();
        } catch (const CudaError& error) {
            if (error.sticky()) lost = error.what();
            throw;
        }
    }

    CUstream choose(void* given) const { return given == nullptr ? stream : static_cast<CUstream>(given); }

    void remember(CUstream used) {
        if (used == stream) return;
        for (const StreamUse& use : uses) {
            if (use.stream != used) continue;
            WC_CUDA(cuEventRecord, use.done, used);
            return;
        }
        StreamUse use{used, nullptr};
        WC_CUDA(cuEventCreate, &use.done, unsigned(CU_EVENT_DISABLE_TIMING));
        uses.push_back(use);
        WC_CUDA(cuEventRecord, use.done, used);
    }

    bool capturing(CUstream used) const {
        if (used == stream || used == legacy_stream()) return false;
        int status = 0;
        WC_CUDA(cuStreamIsCapturing, used, &status);
        return status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    }

    CUgraphNode add_to(CUgraph parent, const std::vector<CUgraphNode>& after) {
        NodeParams params;
        std::vector<CUgraphNode> before = after;
        if (builder->has_conditionals()) {  // no child graph may hold them: the nodes themselves go in
            before = builder->build(parent, after);
            WC_CUDA(cuStreamSynchronize, stream);  // new constants are in place
            params.type = CU_GRAPH_NODE_TYPE_EMPTY;
        } else {
            params.type = CU_GRAPH_NODE_TYPE_GRAPH;
            params.child.graph = graph;
        }
        CUgraphNode node = nullptr;
        WC_CUDA(cuGraphAddNode, &node, parent, before.data(), nullptr, before.size(), &params);
        return node;
    }

    void add_to_capture(CUstream used) {
        int status = 0;
        CUgraph parent = nullptr;
        const CUgraphNode* nodes = nullptr;
        const EdgeData* edges = nullptr;
        std::size_t count = 0;
        WC_CUDA(cuStreamGetCaptureInfo, used, &status, nullptr, &parent, &nodes, &edges, &count);
        if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
            fail(WC_ERROR_STATE,
                 "the stream is not capturing; call cuStreamBeginCapture first, or launch the program");
        }
        CUgraphNode node = add_to(parent, std::vector<CUgraphNode>(nodes, nodes + count));
        const EdgeData full;
        WC_CUDA(cuStreamUpdateCaptureDependencies, used, &node, &full, std::size_t{1},
                unsigned(CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    }

    void launch(CUstream used) {
        if (capturing(used)) return add_to_capture(used);
        WC_CUDA(cuGraphLaunch, exec, used);
        remember(used);
    }
};

namespace {

// The region behind a binding; `size` must be the region's.
std::uint32_t region_of(const Capture& capture, const std::string& name, std::size_t size) {
    const Binding* const binding = find_binding(capture, name);
    const Region* const region = binding == nullptr ? nullptr : find_region(capture, binding->region);
    if (region == nullptr) {
        std::string names;
        for (const Binding& other : capture.bindings) names += (names.empty() ? "" : ", ") + other.name;
        fail(WC_ERROR_PARAMETER, "no parameter ", quoted(name), "; the capture has ",
             names.empty() ? "none" : names);
    }
    if (region->size != size) {
        fail(WC_ERROR_PARAMETER, "parameter ", quoted(name), ": ", size, " bytes given, it has ",
             region->size);
    }
    return region->id;
}

}  // namespace

CudaProgram::CudaProgram(std::shared_ptr<const Capture> capture, const ModuleSource& modules,
                         const CudaOptions& options)
    : Program(nullptr), state_(std::make_unique<State>()) {
    require_runnable(*capture, DeviceType::cuda);
    state_->context.emplace(options);
    capture_ = for_device(std::move(capture), state_->context->device());
    state_->in_context([&] { state_->open(capture_, modules); });
}

CudaProgram::~CudaProgram() = default;

std::uint64_t CudaProgram::memory_bytes() const {
    return state_->memory->bytes();
}

void* CudaProgram::region_pointer(std::uint32_t region) const {
    return reinterpret_cast<void*>(state_->memory->region(region).address);
}

void CudaProgram::set_parameter(const std::string& name, const void* data, std::size_t size) {
    set_parameter_on(name, data, size, nullptr);
}

void CudaProgram::get_parameter(const std::string& name, void* data, std::size_t size) {
    get_parameter_on(name, data, size, nullptr, true);
}

void CudaProgram::set_parameter_on(const std::string& name, const void* data, std::size_t size,
                                   void* stream) {
    const std::uint32_t region = region_of(*capture_, name, size);
    if (size == 0) return;
    const CUstream used = state_->choose(stream);
    state_->in_context([&] {
        WC_CUDA(cuMemcpyAsync, state_->memory->region(region).address, reinterpret_cast<CUdeviceptr>(data),
                size, used);
        if (!state_->capturing(used)) state_->remember(used);
    });
}

void CudaProgram::get_parameter_on(const std::string& name, void* data, std::size_t size, void* stream,
                                   bool wait) {
    const std::uint32_t region = region_of(*capture_, name, size);
    if (size == 0) return;
    const CUstream used = state_->choose(stream);
    state_->in_context([&] {
        WC_CUDA(cuMemcpyAsync, reinterpret_cast<CUdeviceptr>(data), state_->memory->region(region).address,
                size, used);
        if (!state_->capturing(used)) state_->remember(used);
        if (wait) WC_CUDA(cuStreamSynchronize, used);
    });
}

void CudaProgram::launch(void* stream) {
    state_->in_context([&] { state_->launch(state_->choose(stream)); });
}

void CudaProgram::synchronize() {
    state_->in_context([&] {
        WC_CUDA(cuStreamSynchronize, state_->stream);
        for (const StreamUse& use : state_->uses) WC_CUDA(cuEventSynchronize, use.done);
    });
}

bool CudaProgram::update(std::shared_ptr<const Capture> capture) {
    const std::shared_ptr<const Capture> next = for_device(std::move(capture), state_->context->device());
    if (!same_but_values(*capture_, *next)) return false;
    const bool same_nodes = state_->in_context([&] { return state_->builder->same_nodes(*next); });
    if (!same_nodes) return false;
    state_->in_context([&] {
        for (const CudaGraphBuilder::KernelNode& node : state_->kernel_nodes) {
            const KernelNodeParams& params = state_->builder->parameters_of(node, *next);
            WC_CUDA(cuGraphKernelNodeSetParams, node.node, &params);
            WC_CUDA(cuGraphExecKernelNodeSetParams, state_->exec, node.node, &params);
        }
    });
    capture_ = next;
    return true;
}

void* CudaProgram::context() const {
    return state_->context->handle();
}
void* CudaProgram::stream() const {
    return state_->stream;
}
void* CudaProgram::graph() {
    return state_->graph;
}
void* CudaProgram::exec() {
    return state_->exec;
}

void* CudaProgram::add_to_graph(void* parent, void* const* dependencies, std::size_t count) {
    std::vector<CUgraphNode> after;
    for (std::size_t i = 0; i < count; ++i) after.push_back(static_cast<CUgraphNode>(dependencies[i]));
    return state_->in_context([&] { return state_->add_to(static_cast<CUgraph>(parent), after); });
}

void CudaProgram::add_to_capture(void* stream) {
    state_->in_context([&] { state_->add_to_capture(static_cast<CUstream>(stream)); });
}

std::unique_ptr<Program> make_cuda_program(std::shared_ptr<const Capture> capture,
                                           const ModuleSource& modules, const CudaOptions& options) {
    return std::make_unique<CudaProgram>(std::move(capture), modules, options);
}

}  // namespace whitecap
