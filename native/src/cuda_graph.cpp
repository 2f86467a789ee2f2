#include "cuda_graph.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cuda_support_ptx.hpp"
#include "text.hpp"

namespace whitecap {

using namespace cu;

namespace {

constexpr std::uint32_t kAllocOp = 6;  // recorded by other writers; replays as nothing
constexpr unsigned kFillThreads = 256;
constexpr std::uint64_t kMostFillBlocks = 4096;
constexpr std::size_t kWord = 4;

template <typename... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// WHITECAP_CUDA_PASSES=0 replays every launch by itself, to compare.
bool passes_allowed() {
    const char* const value = std::getenv("WHITECAP_CUDA_PASSES");
    return value == nullptr || std::strcmp(value, "0") != 0;
}

bool is_conditional(const Operation& operation) {
    return std::holds_alternative<Conditional>(operation.op);
}

// The value of a memset node, when `bytes` is one element repeated.
unsigned element_value(const Bytes& bytes) {
    unsigned value = 0;
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
    return value;
}

}  // namespace

CudaGraphBuilder::CudaGraphBuilder(const Capture& capture, CudaModules& modules, CudaMemory& memory,
                                   const CudaContext& context)
    : capture_(capture),
      modules_(modules),
      memory_(memory),
      context_(context),
      passes_allowed_(passes_allowed()) {}

bool CudaGraphBuilder::has_conditionals() const {
    return std::any_of(capture_.operations.begin(), capture_.operations.end(), is_conditional);
}

std::vector<CUgraphNode> CudaGraphBuilder::build(CUgraph graph, const std::vector<CUgraphNode>& after) {
    kernel_nodes_.clear();
    return append(graph, capture_.operations, after, true);
}

std::vector<CUgraphNode> CudaGraphBuilder::append(CUgraph graph, const std::vector<Operation>& operations,
                                                  const std::vector<CUgraphNode>& after, bool top_level) {
    const PlaceOf place_of = [this](std::int32_t region) { return memory_.region(region); };
    Dataflow dataflow;
    std::vector<Placement> placements;
    for (std::size_t i = 0; i < operations.size();) {
        std::optional<StencilRun> run = find_run(operations, i);
        if (run && !reserve_scratch(std::get<Launch>(operations[i].op), *run)) run.reset();
        Touched touched = touched_memory(operations[i], place_of);
        if (run && touched) {  // two launches in a row touch all that the others do
            const Touched next = touched_memory(operations[i + 1], place_of);
            if (next) touched->insert(touched->end(), next->begin(), next->end());
        }
        Edges edges;
        for (const std::size_t predecessor : dataflow.add(touched)) {
            edges.nodes.push_back(placements[predecessor].last);
            edges.programmatic.push_back(placements[predecessor].programmatic);
        }
        if (edges.nodes.empty()) {
            edges.nodes = after;
            edges.programmatic.assign(after.size(), false);
        }
        std::vector<CUgraphNode> passes;
        if (run) {
            placements.push_back(place_run(graph, std::get<Launch>(operations[i].op), *run, edges, passes));
        } else {
            placements.push_back(place(graph, operations[i], edges));
        }
        if (top_level) remember(operations, i, run, passes, placements.back().last);
        i += run ? run->count : 1;
    }
    std::vector<CUgraphNode> ends;
    for (const std::size_t leaf : dataflow.leaves()) ends.push_back(placements[leaf].last);
    return ends.empty() ? after : ends;
}

void CudaGraphBuilder::remember(const std::vector<Operation>& operations, std::size_t index,
                                const std::optional<StencilRun>& run, const std::vector<CUgraphNode>& passes,
                                CUgraphNode single) {
    for (std::size_t pass = 0; pass < passes.size(); ++pass)
        kernel_nodes_.push_back({passes[pass], index, pass, run->count});
    const auto* const launch = std::get_if<Launch>(&operations[index].op);
    if (!run && launch != nullptr && launch->dim != 0)
        kernel_nodes_.push_back({single, index, std::nullopt, 1});
}

CudaGraphBuilder::Placement CudaGraphBuilder::place(CUgraph graph, const Operation& operation,
                                                    const Edges& after) {
    return std::visit(
        Overloaded{
            [&](const Launch& launch) { return place_launch(graph, launch, after); },
            [&](const MemoryCopy& copy) {
                const CUdeviceptr dst = resolve(copy.dst_region, copy.dst_offset, copy.size, "copy to");
                return place_copy(graph, dst,
                                  resolve(copy.src_region, copy.src_offset, copy.size, "copy from"),
                                  copy.size, after);
            },
            [&](const MemoryUpload& upload) {
                const std::uint64_t size = upload.data.size();
                const CUdeviceptr dst = resolve(upload.dst_region, upload.dst_offset, size, "upload to");
                return place_copy(graph, dst, size > 0 ? memory_.constant(upload.data) : 0, size, after);
            },
            [&](const MemorySet& set) {
                const CUdeviceptr dst = resolve(set.region, set.offset, set.size, "memset of");
                return place_set(graph, dst, unsigned(set.value) & 0xff, 1, set.size, after);
            },
            [&](const MemoryTile& tile) { return place_tile(graph, tile, after); },
            [&](const Conditional& conditional) { return place_conditional(graph, conditional, after); },
            [&](const OpaqueOp& opaque) {
                if (opaque.type == kAllocOp) return place_empty(graph, after);
                fail(WC_ERROR_UNSUPPORTED, "operation kind ", opaque.type, " is not supported on CUDA");
            },
        },
        operation.op);
}

const KernelNodeParams& CudaGraphBuilder::parameters(CUfunction function, const CudaGrid& grid,
                                                     const Launch& launch) {
    arguments_.emplace(launch, [this](const Relocation& relocation) -> std::uint64_t {
        if (relocation.region == kAbsoluteRegion) return relocation.region_offset;
        if (relocation.kind == RelocationKind::data_pointer) {
            return resolve(relocation.region, relocation.region_offset, 0, "argument into");
        }
        if (relocation.region_offset == 0) return 0;
        fail(WC_ERROR_UNSUPPORTED,
             "a launch takes a mesh or another object by handle, which is not supported");
    });
    check_parameters(function, launch.kernel_key, arguments_->sizes());
    kernel_params_ = {};
    kernel_params_.func = function;
    std::tie(kernel_params_.grid_x, kernel_params_.grid_y, kernel_params_.grid_z) = std::tuple_cat(grid.grid);
    std::tie(kernel_params_.block_x, kernel_params_.block_y, kernel_params_.block_z) =
        std::tuple_cat(grid.block);
    kernel_params_.shared_bytes = grid.shared_bytes;
    kernel_params_.kernel_params = arguments_->pointers();
    return kernel_params_;
}

const KernelNodeParams& CudaGraphBuilder::launch_parameters(const Launch& launch) {
    const CudaKernel& kernel = modules_.kernel_for(launch);
    return parameters(kernel.function, cuda_grid(launch, kernel, context_.device().arch()), launch);
}

const KernelNodeParams& CudaGraphBuilder::pass_parameters(const Launch& first, const StencilRun& run,
                                                          std::size_t pass, CUdeviceptr scratch) {
    const PlaceOf place_of = [this](std::int32_t region) { return memory_.region(region); };
    const Launch launch = stencil_pass(first, *modules_.stencil_for(first), run, pass, place_of, scratch);
    return parameters(run.shape.function,
                      run.shape.grid(int(first.shape[1]), int(first.shape[0]), run.passes[pass],
                                     context_.device().multiprocessors),
                      launch);
}

bool CudaGraphBuilder::same_nodes(const Capture& other) {
    return std::all_of(kernel_nodes_.begin(), kernel_nodes_.end(), [&](const KernelNode& node) {
        if (!node.pass) return true;
        const std::optional<StencilRun> run = find_run(other.operations, node.operation);
        return run && run->count == node.launches;
    });
}

const KernelNodeParams& CudaGraphBuilder::parameters_of(const KernelNode& node, const Capture& capture) {
    const auto& launch = std::get<Launch>(capture.operations[node.operation].op);
    if (!node.pass) return launch_parameters(launch);
    const auto& built = std::get<Launch>(capture_.operations[node.operation].op);
    return pass_parameters(launch, *find_run(capture.operations, node.operation), *node.pass,
                           scratch_.at(&built));
}

std::optional<StencilRun> CudaGraphBuilder::find_run(const std::vector<Operation>& operations,
                                                     std::size_t first) {
    const auto* const launch = std::get_if<Launch>(&operations[first].op);
    if (launch == nullptr || launch->dim == 0 || !passes_allowed_) return std::nullopt;
    const StencilKernel* const kernel = modules_.stencil_for(*launch);
    if (kernel == nullptr) return std::nullopt;
    const PlaceOf place_of = [this](std::int32_t region) { return memory_.region(region); };
    return find_stencil_run(operations, first, *kernel, place_of, context_.device().multiprocessors);
}

bool CudaGraphBuilder::reserve_scratch(const Launch& first, const StencilRun& run) {
    if (scratch_.count(&first) != 0) return true;
    try {
        scratch_.emplace(&first, memory_.scratch(stencil_scratch(run)));
    } catch (const Error& error) {
        if (error.code() != WC_ERROR_MEMORY) throw;
        return false;  // one launch at a time needs no more memory
    }
    return true;
}

CudaGraphBuilder::Placement CudaGraphBuilder::place_launch(CUgraph graph, const Launch& launch,
                                                           const Edges& after) {
    if (launch.dim == 0) return place_empty(graph, after);
    const bool programmatic = modules_.kernel_for(launch).programmatic;
    NodeParams params;
    params.type = CU_GRAPH_NODE_TYPE_KERNEL;
    params.kernel = launch_parameters(launch);
    return {add_node(graph, after, params, programmatic), programmatic};
}

CudaGraphBuilder::Placement CudaGraphBuilder::place_run(CUgraph graph, const Launch& first,
                                                        const StencilRun& run, const Edges& after,
                                                        std::vector<CUgraphNode>& nodes) {
    const bool programmatic = modules_.stencil_for(first)->programmatic;
    for (std::size_t pass = 0; pass < run.passes.size(); ++pass) {
        NodeParams params;
        params.type = CU_GRAPH_NODE_TYPE_KERNEL;
        params.kernel = pass_parameters(first, run, pass, scratch_.at(&first));
        const Edges edges = nodes.empty() ? after : Edges{{nodes.back()}, {programmatic}};
        nodes.push_back(add_node(graph, edges, params, programmatic));
    }
    return {nodes.back(), programmatic};
}

CudaGraphBuilder::Placement CudaGraphBuilder::place_empty(CUgraph graph, const Edges& after) {
    NodeParams params;
    params.type = CU_GRAPH_NODE_TYPE_EMPTY;
    return {add_node(graph, after, params), false};
}

CudaGraphBuilder::Placement CudaGraphBuilder::place_copy(CUgraph graph, CUdeviceptr dst, CUdeviceptr src,
                                                         std::uint64_t size, const Edges& after) {
    if (size == 0) return place_empty(graph, after);
    NodeParams params;
    params.type = CU_GRAPH_NODE_TYPE_MEMCPY;
    params.memcpy = {};
    params.memcpy.ctx = context_.handle();
    params.memcpy.src.memory_type = params.memcpy.dst.memory_type = CU_MEMORYTYPE_DEVICE;
    params.memcpy.src.device = src;
    params.memcpy.dst.device = dst;
    params.memcpy.width_bytes = size;
    params.memcpy.height = params.memcpy.depth = 1;
    return {add_node(graph, after, params), false};
}

CudaGraphBuilder::Placement CudaGraphBuilder::place_set(CUgraph graph, CUdeviceptr dst, unsigned value,
                                                        unsigned element, std::uint64_t count,
                                                        const Edges& after) {
    if (count == 0) return place_empty(graph, after);
    NodeParams params;
    params.type = CU_GRAPH_NODE_TYPE_MEMSET;
    params.memset = {dst, 0, value, element, count, 1, context_.handle()};
    return {add_node(graph, after, params), false};
}

CudaGraphBuilder::Placement CudaGraphBuilder::place_tile(CUgraph graph, const MemoryTile& tile,
                                                         const Edges& after) {
    const std::size_t size = tile.value.size();
    std::uint64_t total = tile.count * size;
    const CUdeviceptr dst = resolve(tile.region, tile.offset, total, "fill of");
    if (total == 0) return place_empty(graph, after);
    if ((size == 1 || size == 2 || size == kWord) && dst % size == 0) {
        return place_set(graph, dst, element_value(tile.value), unsigned(size), tile.count, after);
    }
    const bool words = size % kWord == 0 && dst % kWord == 0;
    unsigned length = unsigned(words ? size / kWord : size);
    if (words) total /= kWord;
    CUdeviceptr target = dst, value = memory_.constant(tile.value);
    void* arguments[] = {&target, &value, &length, &total};
    const unsigned blocks = unsigned(std::min((total + kFillThreads - 1) / kFillThreads, kMostFillBlocks));
    return {
        add_helper(graph, after, words ? "wc_tile_words" : "wc_tile_bytes", blocks, kFillThreads, arguments),
        false};
}

CudaGraphBuilder::Placement CudaGraphBuilder::place_conditional(CUgraph graph, const Conditional& conditional,
                                                                const Edges& after) {
    const CUdeviceptr condition =
        resolve(conditional.region, conditional.offset, sizeof(std::int32_t), "condition in");
    // A WHILE without a body does nothing, even when its condition holds.
    const bool has_a = !conditional.branch_a.empty(),
               has_b = !conditional.loop && !conditional.branch_b.empty();
    if (!has_a && !has_b) return place_empty(graph, after);
    // Both handles are set before either body runs: a body may change the condition.
    const std::uint64_t when_true = has_a ? new_handle(graph) : 0, when_false = has_b ? new_handle(graph) : 0;
    CUgraphNode last = add_condition(graph, after, when_true, when_false, condition);
    if (has_a) {
        const int type = conditional.loop ? CU_GRAPH_COND_TYPE_WHILE : CU_GRAPH_COND_TYPE_IF;
        last = add_conditional(graph, {{last}, {false}}, when_true, type, conditional.branch_a, condition);
    }
    if (has_b) {
        last = add_conditional(graph, {{last}, {false}}, when_false, CU_GRAPH_COND_TYPE_IF,
                               conditional.branch_b, condition);
    }
    return {last, false};
}

CUgraphNode CudaGraphBuilder::add_conditional(CUgraph graph, const Edges& after, std::uint64_t handle,
                                              int type, const std::vector<Operation>& body,
                                              CUdeviceptr condition) {
    NodeParams params;
    params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.conditional = {handle, type, 1, nullptr, context_.handle()};
    const CUgraphNode node = add_node(graph, after, params);
    const CUgraph inside = params.conditional.bodies[0];
    const std::vector<CUgraphNode> ends = append(inside, body, {}, false);
    if (type == CU_GRAPH_COND_TYPE_WHILE) {
        add_condition(inside, {ends, std::vector<bool>(ends.size(), false)}, handle, 0, condition);
    }
    return node;
}

std::uint64_t CudaGraphBuilder::new_handle(CUgraph graph) {
    std::uint64_t handle = 0;
    WC_CUDA(cuGraphConditionalHandleCreate, &handle, graph, context_.handle(), 0u,
            CU_GRAPH_COND_ASSIGN_DEFAULT);
    return handle;
}

CUgraphNode CudaGraphBuilder::add_condition(CUgraph graph, const Edges& after, std::uint64_t when_true,
                                            std::uint64_t when_false, CUdeviceptr condition) {
    void* arguments[] = {&when_true, &when_false, &condition};
    return add_helper(graph, after, "wc_condition", 1, 1, arguments);
}

CUgraphNode CudaGraphBuilder::add_helper(CUgraph graph, const Edges& after, const char* kernel,
                                         unsigned blocks, unsigned threads, void** arguments) {
    if (!support_) {
        const auto* const text = reinterpret_cast<const std::byte*>(kCudaSupportPtx);
        std::string log;
        support_ = CudaModule::load(Bytes(text, text + sizeof kCudaSupportPtx), log);
    }
    NodeParams params;
    params.type = CU_GRAPH_NODE_TYPE_KERNEL;
    params.kernel = {};
    params.kernel.func = support_->find(kernel);
    params.kernel.grid_x = blocks;
    params.kernel.block_x = threads;
    params.kernel.grid_y = params.kernel.grid_z = params.kernel.block_y = params.kernel.block_z = 1;
    params.kernel.kernel_params = arguments;
    return add_node(graph, after, params);
}

CUgraphNode CudaGraphBuilder::add_node(CUgraph graph, const Edges& after, NodeParams& params,
                                       bool programmatic) {
    std::vector<EdgeData> data(after.nodes.size());
    for (std::size_t i = 0; i < data.size(); ++i) {
        if (!programmatic || !after.programmatic[i]) continue;
        data[i].from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
        data[i].type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    }
    CUgraphNode node = nullptr;
    WC_CUDA(cuGraphAddNode, &node, graph, after.nodes.data(), data.data(), data.size(), &params);
    return node;
}

CUdeviceptr CudaGraphBuilder::resolve(std::int64_t id, std::uint64_t offset, std::uint64_t size,
                                      const char* what) const {
    const Placed region = memory_.region(id);
    if (region.address == 0 || offset > region.size || size > region.size - offset) {
        fail(WC_ERROR_REPLAY, what, " region ", id, ": bytes ", offset, " to ", offset + size,
             region.address == 0 ? std::string(" given, the capture has no such region")
                                 : text(" given, the region has ", region.size));
    }
    return region.address + offset;
}

}  // namespace whitecap
