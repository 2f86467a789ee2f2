#include "cuda_launch.hpp"

#include <algorithm>
#include <cstring>

#include "launch_abi.hpp"
#include "text.hpp"

namespace whitecap {

namespace {

constexpr unsigned kTileColumns = 32, kTileRows = 8;  // the block of `_cuda_grid2d`
// Blocks of one launch at least, where threads do several rows; and rows of a thread at most.
constexpr std::uint64_t kManyBlocks = 8192, kMostBands = 8;
constexpr std::uint64_t kMostGridYZ = 65535;
constexpr std::uint64_t kMostGridX = 0x7fffffff;
constexpr std::uint64_t kLeanThreadsInX = 1u << 24;

std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) {
    return value / by + (value % by != 0);
}

void grid_stride_grid(const Launch& launch, std::uint64_t blocks, std::uint64_t cluster, CudaGrid& result) {
    const std::uint64_t cap = launch.max_blocks > 0 ? std::uint64_t(launch.max_blocks) : kMostGridX;
    std::uint64_t x = std::min(blocks, cap);
    if (cluster > 1 && x == blocks && blocks % cluster != 0) {
        fail(WC_ERROR_REPLAY, "launch of ", quoted(launch.kernel_key), ": ", blocks,
             " blocks are no multiple of its cluster of ", cluster, "; capture again with a size that is");
    }
    if (cluster > 1) x -= x % cluster;
    if (x == 0) {
        fail(WC_ERROR_REPLAY, "launch of ", quoted(launch.kernel_key), ": at most ", cap,
             " blocks are fewer than its cluster of ", cluster, "; capture again with more");
    }
    result.grid[0] = unsigned(x);
}

void lean_grid(const Launch& launch, std::uint64_t blocks, std::uint64_t cluster, CudaGrid& result) {
    if (cluster > 1 && blocks % cluster != 0) {
        fail(WC_ERROR_REPLAY, "launch of ", quoted(launch.kernel_key), ": ", blocks,
             " blocks are no multiple of its cluster of ", cluster, "; capture again with a size that is");
    }
    std::uint64_t most_x = std::max<std::uint64_t>(kLeanThreadsInX / result.block[0], 1);
    if (cluster > 1) most_x = std::max(most_x - most_x % cluster, cluster);
    const std::uint64_t x = std::min(blocks, most_x), layers = divide_up(blocks, x);
    const std::uint64_t y = std::min(layers, kMostGridYZ), z = divide_up(layers, y);
    if (z > kMostGridYZ) {
        fail(WC_ERROR_REPLAY, "launch of ", quoted(launch.kernel_key), ": ", launch.dim,
             " threads do not fit a CUDA grid");
    }
    result.grid = {unsigned(x), unsigned(y), unsigned(z)};
}

// Blocks of `_cuda_grid2d`, across and down.
std::array<std::uint64_t, 2> grid2d_blocks(const Launch& launch) {
    return {divide_up(launch.shape[1], kTileColumns), divide_up(launch.shape[0], kTileRows)};
}

}  // namespace

bool has_many_blocks(const Launch& launch) {
    const auto [across, down] = grid2d_blocks(launch);
    return across * down >= 2 * kManyBlocks;
}

bool fits_grid2d(const Launch& launch) {
    return launch.ndim == 2 && launch.forward && launch.smem_bytes == 0 && launch.cluster_dim <= 1 &&
           launch.max_blocks == 0 && launch.dim == launch.size &&
           launch.size == std::uint64_t(launch.shape[0]) * launch.shape[1] &&
           divide_up(launch.shape[0], kTileRows) <= kMostGridYZ;
}

CudaGrid cuda_grid(const Launch& launch, const CudaKernel& kernel, int arch) {
    CudaGrid result;
    result.empty = launch.dim == 0;
    result.shared_bytes = launch.smem_bytes > 0 ? unsigned(launch.smem_bytes) : 0;
    if (result.empty) return result;
    if (kernel.grid2d) {
        result.block = {kTileColumns, kTileRows, 1};
        const auto [across, down] = grid2d_blocks(launch);
        const std::uint64_t most = kernel.bands ? kMostBands : 1;
        const std::uint64_t bands = std::clamp<std::uint64_t>(across * down / kManyBlocks, 1, most);
        result.grid = {unsigned(across), unsigned(divide_up(down, bands)), 1};
        return result;
    }
    result.block[0] = launch.block_dim > 0 ? unsigned(launch.block_dim) : 256;
    const std::uint64_t blocks = divide_up(launch.dim, result.block[0]);
    const std::uint64_t cluster = arch >= 90 && launch.cluster_dim > 1 ? launch.cluster_dim : 1;
    (launch.grid_stride != 0 ? grid_stride_grid : lean_grid)(launch, blocks, cluster, result);
    return result;
}

CudaArguments::CudaArguments(const Launch& launch, const AddressOf& address_of) {
    const LaunchBounds bounds = pack_bounds(launch);
    std::size_t words = sizeof bounds.bytes / 8;
    for (const auto* list : {&launch.arguments, &launch.adjoints}) {
        for (const Argument& argument : *list) words += divide_up(argument.value.size(), 8);
    }
    storage_.resize(words + 1);  // an empty value still has an address

    std::size_t next = 0;
    const auto append = [&](const void* data, std::size_t size) {
        auto* const place = reinterpret_cast<std::byte*>(&storage_[next]);
        if (size > 0) std::memcpy(place, data, size);
        next += divide_up(size, 8);
        pointers_.push_back(place);
        sizes_.push_back(size);
        return place;
    };
    append(bounds.bytes, bounds.size);
    for (const auto* list : {&launch.arguments, &launch.adjoints}) {
        for (const Argument& argument : *list) {
            std::byte* const place = append(argument.value.data(), argument.value.size());
            for (const Relocation& relocation : argument.relocations) {
                const std::uint64_t address =
                    relocation.kind == RelocationKind::null ? 0 : address_of(relocation);
                std::memcpy(place + relocation.value_offset, &address, sizeof address);
            }
        }
    }
}

}  // namespace whitecap
