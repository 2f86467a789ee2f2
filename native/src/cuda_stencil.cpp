#include "cuda_stencil.hpp"

#include <algorithm>
#include <cstring>

#include "launch_abi.hpp"

namespace whitecap {

namespace {

constexpr std::int32_t kTableVersion = 2;
constexpr std::size_t kHeader = 4;    // version, near, own, shapes
constexpr std::size_t kPerShape = 6;  // columns, rows, warps, alone, cost, staged
constexpr int kMostSteps = 8;         // in a pass: more would compute too many cells twice
constexpr std::size_t kFewestLaunches = 4;
constexpr std::uint64_t kAlignment = 256;

int divide_up(int value, int by) {
    return (value + by - 1) / by;
}

std::uint64_t aligned(std::uint64_t size) {
    return (size + kAlignment - 1) / kAlignment * kAlignment;
}

bool same_pointer(const Argument& a, const Argument& b) {
    return std::equal(a.relocations.begin(), a.relocations.end(), b.relocations.begin(), b.relocations.end(),
                      [](const Relocation& x, const Relocation& y) {
                          return x.kind == y.kind && x.value_offset == y.value_offset &&
                                 x.region == y.region && x.region_offset == y.region_offset;
                      });
}

bool same_argument(const Argument& a, const Argument& b) {
    return a.value == b.value && same_pointer(a, b);
}

// Whether `next` is `launch` with the two fields in each other's place.
bool is_next_step(const Launch& launch, const Launch& next, const StencilKernel& kernel) {
    if (next.kernel_key != launch.kernel_key || next.module_hash != launch.module_hash ||
        next.shape != launch.shape || next.size != launch.size || next.dim != launch.dim ||
        next.arguments.size() != launch.arguments.size() || !fits_grid2d(next)) {
        return false;
    }
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        const std::size_t from = i == kernel.near ? kernel.own : i == kernel.own ? kernel.near : i;
        if (!same_argument(next.arguments[i], launch.arguments[from])) return false;
    }
    return true;
}

// The span of a field, when it is a dense array of the launch's shape; empty otherwise.
Span field_span(const Argument& argument, const Launch& launch, const PlaceOf& place_of) {
    if (argument.value.size() != sizeof(ArrayAbi) || argument.relocations.empty()) return {};
    ArrayAbi array;
    std::memcpy(&array, argument.value.data(), sizeof array);
    const Relocation& data = argument.relocations[0];
    const auto is_null = [](const Relocation& relocation) { return relocation.kind == RelocationKind::null; };
    if (data.kind != RelocationKind::data_pointer || data.value_offset != 0 ||
        !std::all_of(argument.relocations.begin() + 1, argument.relocations.end(), is_null) ||
        array.ndim != 2 || std::uint32_t(array.shape[0]) != launch.shape[0] ||
        std::uint32_t(array.shape[1]) != launch.shape[1] || array.strides[1] != 4 ||
        array.strides[0] / 4 < array.shape[1] || array.strides[0] % 4 != 0) {
        return {};
    }
    const Placed region = place_of(data.region);
    const std::uint64_t bytes = std::uint64_t(array.strides[0]) * std::uint64_t(array.shape[0] - 1) +
                                std::uint64_t(array.strides[1]) * std::uint64_t(array.shape[1]);
    if (data.region_offset > region.size || bytes > region.size - data.region_offset) return {};
    return {region.address + data.region_offset, region.address + data.region_offset + bytes, true};
}

bool overlap(const Span& a, const Span& b) {
    return a.begin < b.end && b.begin < a.end;
}

// Whether no other argument of the launch reaches a field.
bool fields_are_private(const Launch& launch, const StencilKernel& kernel, const Span& near, const Span& own,
                        const PlaceOf& place_of) {
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        if (i == kernel.near || i == kernel.own) continue;
        for (const Relocation& relocation : launch.arguments[i].relocations) {
            if (relocation.kind == RelocationKind::null) continue;
            const Placed region = place_of(relocation.region);
            const Span whole{region.address, region.address + region.size, false};
            if (relocation.kind != RelocationKind::data_pointer || overlap(whole, near) ||
                overlap(whole, own))
                return false;
        }
    }
    return true;
}

// Steps of each pass: as even as can be, no more than kMostSteps, an even number of passes.
std::vector<int> split(std::size_t steps) {
    const std::size_t passes = 2 * ((steps + 2 * kMostSteps - 1) / (2 * kMostSteps));
    std::vector<int> result;
    for (std::size_t i = 0; i < passes; ++i)
        result.push_back(int(steps * (i + 1) / passes - steps * i / passes));
    return result;
}

const StencilShape* choose(const StencilKernel& kernel, int width, int height, int steps,
                           int multiprocessors) {
    const StencilShape* best = nullptr;
    std::uint64_t least = UINT64_MAX;
    for (const StencilShape& shape : kernel.shapes) {
        if (!shape.fits(width, height, steps)) continue;
        const auto [across, down] = shape.tiles(width, height, steps);
        const std::uint64_t tiles = std::uint64_t(across) * down;
        const std::uint64_t rounds =
            (tiles + std::uint64_t(multiprocessors) - 1) / std::uint64_t(multiprocessors);
        const std::uint64_t cost = std::max(std::uint64_t(shape.alone), rounds * std::uint64_t(shape.cost));
        if (cost < least) {
            least = cost;
            best = &shape;
        }
    }
    return best;
}

Argument with_address(Argument argument, std::uint64_t address) {
    argument.relocations[0].region = kAbsoluteRegion;
    argument.relocations[0].region_offset = address;
    return argument;
}

template <typename Value>
Argument plain(Value value) {
    Argument argument;
    argument.value.resize(sizeof value);
    std::memcpy(argument.value.data(), &value, sizeof value);
    return argument;
}

}  // namespace

bool StencilShape::fits(int width, int height, int steps) const {
    return width >= tile_width() && height >= tile_height() && tile_width() > 2 * halo_x(steps) &&
           tile_height() > 2 * halo_y(steps);
}

std::array<unsigned, 2> StencilShape::tiles(int width, int height, int steps) const {
    const auto count = [](int extent, int tile, int halo) {
        return unsigned(std::max(1, divide_up(extent - 2 * halo, tile - 2 * halo)));
    };
    return {count(width, tile_width(), halo_x(steps)), count(height, tile_height(), halo_y(steps))};
}

CudaGrid StencilShape::grid(int width, int height, int steps, int multiprocessors) const {
    const auto [across, down] = tiles(width, height, steps);
    CudaGrid result;
    result.grid = {across, down, 1};
    if (staged) result.grid = {std::min(across * down, unsigned(multiprocessors)), 1, 1};
    result.block = {32, unsigned(warps), 1};
    result.shared_bytes = shared_bytes();
    return result;
}

std::optional<StencilKernel> parse_stencil_table(const std::vector<std::int32_t>& table) {
    if (table.size() < kHeader || table[0] != kTableVersion || table[1] < 0 || table[2] < 0 ||
        table[1] == table[2] || table[3] < 1 || table.size() != kHeader + kPerShape * std::size_t(table[3])) {
        return std::nullopt;
    }
    StencilKernel kernel;
    kernel.near = std::size_t(table[1]);
    kernel.own = std::size_t(table[2]);
    for (std::size_t at = kHeader; at < table.size(); at += kPerShape) {
        StencilShape shape;
        shape.columns = table[at];
        shape.rows = table[at + 1];
        shape.warps = table[at + 2];
        shape.alone = table[at + 3];
        shape.cost = table[at + 4];
        shape.staged = table[at + 5] != 0;
        if (std::min({shape.columns, shape.rows, shape.warps, shape.alone, shape.cost}) < 1 ||
            shape.warps > 32 || shape.columns > 64 || shape.rows > 64) {
            return std::nullopt;
        }
        kernel.shapes.push_back(shape);
    }
    return kernel;
}

std::optional<StencilRun> find_stencil_run(const std::vector<Operation>& operations, std::size_t first,
                                           const StencilKernel& kernel, const PlaceOf& place_of,
                                           int multiprocessors) {
    const auto& launch = std::get<Launch>(operations[first].op);
    if (!fits_grid2d(launch) || std::max(kernel.near, kernel.own) >= launch.arguments.size() ||
        launch.shape[0] > INT32_MAX || launch.shape[1] > INT32_MAX) {
        return std::nullopt;
    }
    StencilRun run;
    run.count = 1;
    for (const Launch* previous = &launch; first + run.count < operations.size(); ++run.count) {
        const auto* const next = std::get_if<Launch>(&operations[first + run.count].op);
        if (next == nullptr || !is_next_step(*previous, *next, kernel)) break;
        previous = next;
    }
    if (run.count < kFewestLaunches) return std::nullopt;
    const Span near = field_span(launch.arguments[kernel.near], launch, place_of);
    const Span own = field_span(launch.arguments[kernel.own], launch, place_of);
    if (near.begin == near.end || own.begin == own.end || near.end - near.begin != own.end - own.begin ||
        overlap(near, own) || !fields_are_private(launch, kernel, near, own, place_of)) {
        return std::nullopt;
    }
    run.passes = split(run.count);
    const int most = *std::max_element(run.passes.begin(), run.passes.end());
    const StencilShape* const shape =
        choose(kernel, int(launch.shape[1]), int(launch.shape[0]), most, multiprocessors);
    if (shape == nullptr) return std::nullopt;
    run.shape = *shape;
    run.field_bytes = near.end - near.begin;
    return run;
}

std::uint64_t stencil_scratch(const StencilRun& run) {
    return 2 * aligned(run.field_bytes);
}

Launch stencil_pass(const Launch& first, const StencilKernel& kernel, const StencilRun& run, std::size_t pass,
                    const PlaceOf& place_of, std::uint64_t scratch) {
    const std::uint64_t own_fields[] = {field_span(first.arguments[kernel.near], first, place_of).begin,
                                        field_span(first.arguments[kernel.own], first, place_of).begin};
    const std::uint64_t buffers[] = {scratch, scratch + aligned(run.field_bytes)};
    const auto& from = pass % 2 == 0 ? own_fields : buffers;
    const auto& to = pass % 2 == 0 ? buffers : own_fields;
    int done = 0;
    for (std::size_t i = 0; i < pass; ++i) done += run.passes[i];

    Launch launch = first;
    launch.arguments[kernel.near] = with_address(first.arguments[kernel.near], from[0]);
    launch.arguments[kernel.own] = with_address(first.arguments[kernel.own], from[1]);
    launch.arguments.push_back(plain(to[0]));
    launch.arguments.push_back(plain(to[1]));
    launch.arguments.push_back(plain(std::int32_t(run.passes[pass])));
    launch.arguments.push_back(plain(std::int32_t(done % 2)));
    return launch;
}

}  // namespace whitecap
