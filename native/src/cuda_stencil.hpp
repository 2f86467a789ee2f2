// Runs of stencil launches, replayed several steps at a time.
//
// Modules of ours may hold, for a kernel, entries that do many steps of it with both fields in registers, and
// a table that describes them (capture/cuda_stencil.py). Where a capture launches such a kernel again and
// again while two arrays change roles, a few of those launches take the place of all. They read one pair of
// buffers and write another, so a run is an even number of passes that ends where it began. The recorded
// operations stay what they are, and so do the bits.
//
// Limit: a run must fit (same shape, disjoint dense arrays, nothing else in between); else every launch is a
// node.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "capture.hpp"
#include "cuda_dataflow.hpp"
#include "cuda_launch.hpp"

namespace whitecap {

// One entry: blocks of `warps` warps, whose lanes own columns x rows cells.
struct StencilShape {
    int columns = 1, rows = 1, warps = 1;
    // Time of a pass with one tile a multiprocessor, and for each tile where there are many; in the same
    // unit.
    int alone = 1, cost = 1;
    bool staged = false;  // a block does many tiles and keeps the next one in shared memory; else one
    cu::CUfunction function = nullptr;

    int tile_width() const { return 32 * columns; }
    int tile_height() const { return rows * warps; }
    // Cells on each side that a block computes and does not store.
    int halo_x(int steps) const { return (steps + columns - 1) / columns * columns; }
    int halo_y(int steps) const { return steps; }
    // Dynamic shared memory of a block.
    unsigned shared_bytes() const { return staged ? 2u * 4u * unsigned(tile_width() * tile_height()) : 0u; }
    // Tiles across and down; the outermost ones need no halo at the border.
    std::array<unsigned, 2> tiles(int width, int height, int steps) const;
    CudaGrid grid(int width, int height, int steps, int multiprocessors) const;
    bool fits(int width, int height, int steps) const;
};

// What a module says about a kernel.
struct StencilKernel {
    std::size_t near = 0, own = 0;  // arguments: read around each cell, rewritten at it
    std::vector<StencilShape> shapes;
    bool programmatic = false;  // as CudaKernel::programmatic
};

// The table of a module; nothing when it is not one of ours.
std::optional<StencilKernel> parse_stencil_table(const std::vector<std::int32_t>& table);

struct StencilRun {
    std::size_t count = 0;    // launches that it replaces
    std::vector<int> passes;  // steps of each, an even number of passes
    StencilShape shape;
    std::uint64_t field_bytes = 0;  // span of a field
};

// How many launches from `first` on form a run, and how to replay them; nothing when they are better left
// alone.
std::optional<StencilRun> find_stencil_run(const std::vector<Operation>& operations, std::size_t first,
                                           const StencilKernel& kernel, const PlaceOf& place_of,
                                           int multiprocessors);

// Bytes of the second pair of buffers.
std::uint64_t stencil_scratch(const StencilRun& run);

// The launch of one pass. `first`: the run's first launch. scratch: address of the second pair of buffers.
// The addresses of the two fields stand in relocations of region kAbsoluteRegion, whose offset is the address
// itself.
constexpr std::int32_t kAbsoluteRegion = -2;
Launch stencil_pass(const Launch& first, const StencilKernel& kernel, const StencilRun& run, std::size_t pass,
                    const PlaceOf& place_of, std::uint64_t scratch);

}  // namespace whitecap
