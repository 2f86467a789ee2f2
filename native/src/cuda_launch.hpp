// One kernel launch as the driver takes it: grid, block and argument pointers, from a launch record.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "capture.hpp"
#include "cuda_driver.hpp"

namespace whitecap {

struct CudaKernel {
    cu::CUfunction function = nullptr;
    bool grid2d = false;        // the `_cuda_grid2d` or `_cuda_bands2d` entry: 2-D blocks
    bool bands = false;         // `_cuda_bands2d`: a thread does several rows, else one cell
    bool programmatic = false;  // waits for its predecessors itself, so its launch may overlap them
};

struct CudaGrid {
    std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
    unsigned shared_bytes = 0;
    bool empty = false;  // no thread at all: nothing is launched
};

// Grid rules of the `.wrp` format, or 32 x 8 blocks over (rows, columns) for the 2-D entry. Throws
// WC_ERROR_REPLAY when the launch does not fit the device's grid.
CudaGrid cuda_grid(const Launch& launch, const CudaKernel& kernel, int arch);

// Whether the 2-D entry may serve this launch: rank 2, one thread a cell, no more rows than a grid has.
bool fits_grid2d(const Launch& launch);

// Whether a launch that fits has so many blocks that threads should do several rows each, if the kernel can.
bool has_many_blocks(const Launch& launch);

// Bounds and arguments with every pointer in place. The driver copies what the pointers reach.
class CudaArguments {
  public:
    using AddressOf = std::function<std::uint64_t(const Relocation&)>;

    CudaArguments(const Launch& launch, const AddressOf& address_of);

    void** pointers() { return pointers_.data(); }
    // Sizes of the kernel's parameters as given, to be compared with what the kernel declares.
    const std::vector<std::size_t>& sizes() const { return sizes_; }

  private:
    std::vector<std::uint64_t> storage_;  // 8-byte aligned values, one after the other
    std::vector<void*> pointers_;
    std::vector<std::size_t> sizes_;
};

}  // namespace whitecap
