// The nodes of a CUDA graph, made from recorded operations.
//
// Each operation becomes a kernel, memcpy or memset node, or a conditional node with a graph of its own.
// Edges follow the dataflow (cuda_dataflow.hpp). Between two kernels that order themselves an edge is
// "programmatic": the second one is set up while the first still runs and waits inside. Limit: fills of odd
// sizes and conditions need the helper kernels of cuda_support.cu, which are loaded when first used.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "capture.hpp"
#include "cuda_context.hpp"
#include "cuda_dataflow.hpp"
#include "cuda_memory.hpp"
#include "cuda_module.hpp"

namespace whitecap {

class CudaGraphBuilder {
  public:
    // A kernel node of the top level and what it runs, for updates in place.
    struct KernelNode {
        cu::CUgraphNode node;
        std::size_t operation;            // index in the capture's operations
        std::optional<std::size_t> pass;  // of the run of stencil launches that begins there
        std::size_t launches = 1;         // that the run replaces
    };

    // All must outlive the builder. The context must be current for every call.
    CudaGraphBuilder(const Capture& capture, CudaModules& modules, CudaMemory& memory,
                     const CudaContext& context);

    // Adds the whole program after `after` and returns the nodes that nothing of it waits for.
    std::vector<cu::CUgraphNode> build(cu::CUgraph graph, const std::vector<cu::CUgraphNode>& after);

    // Kernel nodes of the last build().
    const std::vector<KernelNode>& kernel_nodes() const { return kernel_nodes_; }
    // Whether the program has conditional nodes, which no child graph may hold.
    bool has_conditionals() const;

    // Whether another capture, which differs from the builder's in plain values only, runs the same way.
    bool same_nodes(const Capture& other);
    // Parameters of a kernel node for such a capture; they stay valid until the next call.
    const cu::KernelNodeParams& parameters_of(const KernelNode& node, const Capture& capture);

  private:
    // What an operation put into a graph: its first node takes the edges in, its last one gives the edges
    // out.
    struct Placement {
        cu::CUgraphNode last = nullptr;
        bool programmatic = false;
    };
    struct Edges {
        std::vector<cu::CUgraphNode> nodes;
        std::vector<bool> programmatic;  // whether that node lets a successor start early
    };

    const cu::KernelNodeParams& launch_parameters(const Launch& launch);
    const cu::KernelNodeParams& pass_parameters(const Launch& first, const StencilRun& run, std::size_t pass,
                                                cu::CUdeviceptr scratch);
    const cu::KernelNodeParams& parameters(cu::CUfunction function, const CudaGrid& grid,
                                           const Launch& launch);
    std::optional<StencilRun> find_run(const std::vector<Operation>& operations, std::size_t first);
    // Second buffers for a run; false when the device has no room for them.
    bool reserve_scratch(const Launch& first, const StencilRun& run);

    std::vector<cu::CUgraphNode> append(cu::CUgraph graph, const std::vector<Operation>& operations,
                                        const std::vector<cu::CUgraphNode>& after, bool top_level);
    // Notes the kernel nodes of an operation, or of the run that begins with it.
    void remember(const std::vector<Operation>& operations, std::size_t index,
                  const std::optional<StencilRun>& run, const std::vector<cu::CUgraphNode>& passes,
                  cu::CUgraphNode single);
    Placement place(cu::CUgraph graph, const Operation& operation, const Edges& after);
    Placement place_launch(cu::CUgraph graph, const Launch& launch, const Edges& after);
    // The passes of a run, one node each, in a chain; `nodes` receives them.
    Placement place_run(cu::CUgraph graph, const Launch& first, const StencilRun& run, const Edges& after,
                        std::vector<cu::CUgraphNode>& nodes);
    Placement place_copy(cu::CUgraph graph, cu::CUdeviceptr dst, cu::CUdeviceptr src, std::uint64_t size,
                         const Edges& after);
    Placement place_set(cu::CUgraph graph, cu::CUdeviceptr dst, unsigned value, unsigned element,
                        std::uint64_t count, const Edges& after);
    Placement place_tile(cu::CUgraph graph, const MemoryTile& tile, const Edges& after);
    Placement place_conditional(cu::CUgraph graph, const Conditional& conditional, const Edges& after);
    Placement place_empty(cu::CUgraph graph, const Edges& after);

    cu::CUgraphNode add_node(cu::CUgraph graph, const Edges& after, cu::NodeParams& params,
                             bool programmatic = false);
    cu::CUgraphNode add_helper(cu::CUgraph graph, const Edges& after, const char* kernel, unsigned blocks,
                               unsigned threads, void** arguments);
    // One IF or WHILE node with its body.
    cu::CUgraphNode add_conditional(cu::CUgraph graph, const Edges& after, std::uint64_t handle, int type,
                                    const std::vector<Operation>& body, cu::CUdeviceptr condition);
    std::uint64_t new_handle(cu::CUgraph graph);
    cu::CUgraphNode add_condition(cu::CUgraph graph, const Edges& after, std::uint64_t when_true,
                                  std::uint64_t when_false, cu::CUdeviceptr condition);

    // Device address of a span. Throws WC_ERROR_REPLAY when it is not inside the region.
    cu::CUdeviceptr resolve(std::int64_t region, std::uint64_t offset, std::uint64_t size,
                            const char* what) const;

    const Capture& capture_;
    CudaModules& modules_;
    CudaMemory& memory_;
    const CudaContext& context_;
    const bool passes_allowed_;
    std::shared_ptr<const CudaModule> support_;
    std::vector<KernelNode> kernel_nodes_;
    std::map<const Launch*, cu::CUdeviceptr> scratch_;  // second buffers, by the first launch of a run
    std::optional<CudaArguments> arguments_;
    cu::KernelNodeParams kernel_params_{};
};

}  // namespace whitecap
