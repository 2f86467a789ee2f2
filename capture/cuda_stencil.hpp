// ---- several steps of a stencil in one launch ------------------------------------------------------------------------
//
// Two fields x and y of the same shape take turns: a step reads one of them in the 3 x 3 neighbourhood of each cell and
// rewrites the other. A block loads a tile of both into registers, does `steps` steps and stores the part that no missing
// neighbour has reached. A lane owns `columns` x `rows` cells, a warp a band as wide as the tile. Neighbours in a row
// come by shuffles, rows of other warps through shared memory, with one barrier a step. Tiles lie inside the domain, so
// clamping at a tile's edge is right where that is the border, and elsewhere spoils only cells that are not stored.
//
// For large grids a block does tile after tile and has the next one copied to shared memory while it computes.

namespace wc {

// The current field around a cell; what a kernel does not use is not computed.
struct near_t {
    float at[3][3];  // [1 + row offset][1 + column offset]
};

// How many tiles one dimension takes; the outermost ones need no halo at the border.
WC_INLINE int tile_count(int extent, int tile, int halo) {
    const int owned = tile - 2 * halo, inner = extent - 2 * halo;
    return inner <= owned ? 1 : (inner + owned - 1) / owned;
}

// Which cells of one dimension a tile computes and stores. `halo` is a multiple of what a lane owns.
struct tile_range {
    int first, store_first, store_last;

    WC_INLINE tile_range(int index, int extent, int tile, int halo) {
        const int owned = tile - 2 * halo, count = tile_count(extent, tile, halo);
        first = index * owned < extent - tile ? index * owned : extent - tile;
        store_first = index == 0 ? 0 : halo + index * owned;
        store_last = index == count - 1 ? extent : halo + (index + 1) * owned;
    }
};

template <int columns>
struct alignas(4 * columns) row_part {
    float c[columns];
};

// Copies 4, 8 or 16 bytes to shared memory while the thread goes on; `await_copies` waits for its own copies.
template <int bytes>
WC_INLINE void copy_later(void* shared, const void* global) {
#if __CUDA_ARCH__ >= 800
    const unsigned to = unsigned(__cvta_generic_to_shared(shared));
    if (bytes == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(bytes) : "memory");
    }
#else
    typedef row_part<bytes / 4> part;
    *static_cast<part*>(shared) = *static_cast<const part*>(global);
#endif
}
WC_INLINE void await_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// The value, from a source that the compiler can't see: it is kept, and not computed again in every step.
WC_INLINE int kept(int value) {
    asm("" : "+r"(value));
    return value;
}

// `Kernel::step(row, column, near, own)` computes one cell: `near` around it in one field, `own` in the other.
// `Kernel::diagonal`: whether it looks at corners.
template <class Kernel, int columns, int rows, int warps>
struct stencil_block {
    static constexpr int width = 32 * columns, height = rows * warps;
    typedef row_part<columns> part;
    typedef part edge_rows[2][warps * 64];  // first and last row of each band, for two steps

    const Kernel& kernel;
    edge_rows& edges;
    const tile_range across, down;
    const int lane, warp;
    const int over, under;  // the neighbours' rows in `edges`; at the tile's upper and lower edge a band is its own
    const int reach;        // with fewer steps left no stored row depends on the band any more
    part x[rows], y[rows];

    static WC_INLINE int halo_x(int steps) { return (steps + columns - 1) / columns * columns; }
    static WC_INLINE int tiles_across(const launch_bounds<2>& bounds, int steps) {
        return tile_count(bounds.shape[1], width, halo_x(steps));
    }
    static WC_INLINE int tiles_down(const launch_bounds<2>& bounds, int steps) {
        return tile_count(bounds.shape[0], height, steps);
    }

    WC_INLINE stencil_block(const Kernel& k, edge_rows& e, const launch_bounds<2>& bounds, int tile_x, int tile_y,
                            int steps)
        : kernel(k),
          edges(e),
          across(tile_x, bounds.shape[1], width, halo_x(steps)),
          down(tile_y, bounds.shape[0], height, steps),
          lane(threadIdx.x),
          warp(__shfl_sync(~0u, threadIdx.y, 0)),  // the compiler sees that it is the same for all lanes
          over(kept(edge_row(warp == 0 ? 0 : 2 * warp - 1))),
          under(kept(edge_row(warp == warps - 1 ? 2 * warp + 1 : 2 * warp + 2))),
          reach(kept(steps_to_stored_rows())) {}

    // Place in `edges` of this lane's part: 2 * band is a band's first row, 2 * band + 1 its last.
    WC_INLINE int edge_row(int index) const { return index * 32 + lane; }

    // How far the band lies from the rows that are stored; 0 or less when it holds one.
    WC_INLINE int steps_to_stored_rows() const {
        const int below = row(0) - down.store_last + 1, above = down.store_first - row(rows - 1);
        return below > above ? below : above;
    }

    WC_INLINE int row(int k) const { return down.first + warp * rows + k; }
    WC_INLINE int column() const { return across.first + lane * columns; }

    // Whether every lane's part of every row is aligned as a whole.
    WC_INLINE bool aligned(const void* data, int stride) const {
        const uint64 bits = uint64(data) | uint64(stride) | uint64(across.first * 4);
        return bits % (4 * columns) == 0;
    }

    WC_INLINE void load(part* field, const array_t<float>& from) {
        const bool whole = aligned(from.data, from.strides[0]);
#pragma unroll
        for (int k = 0; k < rows; ++k) {
            const float* source = &at(from, row(k), column());
            if (whole) {
                field[k] = *reinterpret_cast<const part*>(source);
            } else {
#pragma unroll
                for (int v = 0; v < columns; ++v) field[k].c[v] = source[v];
            }
        }
    }

    // A lane's rows in shared memory lie `warps` x 32 parts from each other; `staged` is its first.
    WC_INLINE void load_later(part* staged, const array_t<float>& from) const {
        const bool whole = aligned(from.data, from.strides[0]);
#pragma unroll
        for (int k = 0; k < rows; ++k) {
            const float* source = &at(from, row(k), column());
            part* target = staged + k * warps * 32;
            if (whole) {
                copy_later<4 * columns>(target, source);
            } else {
#pragma unroll
                for (int v = 0; v < columns; ++v) copy_later<4>(&target->c[v], source + v);
            }
        }
    }
    WC_INLINE void take(part* field, const part* staged) const {
#pragma unroll
        for (int k = 0; k < rows; ++k) field[k] = staged[k * warps * 32];
    }

    WC_INLINE void store(const part* field, array_t<float> to, float* data) const {
        to.data = data;
        const bool whole = aligned(data, to.strides[0]) && (across.store_first | across.store_last) % columns == 0;
#pragma unroll
        for (int k = 0; k < rows; ++k) {
            if (row(k) < down.store_first || row(k) >= down.store_last) continue;
            float* target = &at(to, row(k), column());
            if (whole) {
                if (column() >= across.store_first && column() < across.store_last) *reinterpret_cast<part*>(target) = field[k];
            } else {
#pragma unroll
                for (int v = 0; v < columns; ++v) {
                    if (column() + v >= across.store_first && column() + v < across.store_last) target[v] = field[k].c[v];
                }
            }
        }
    }

    WC_INLINE void publish(const part* field, int turn) {
        edges[turn][edge_row(2 * warp)] = field[0];
        edges[turn][edge_row(2 * warp + 1)] = field[rows - 1];
    }

    // A row with its neighbours left and right.
    struct wide {
        float c[columns + 2];
    };
    WC_INLINE wide widened(const part& p) const {
        wide w;
#pragma unroll
        for (int v = 0; v < columns; ++v) w.c[v + 1] = p.c[v];
        const float left = __shfl_up_sync(~0u, p.c[columns - 1], 1), right = __shfl_down_sync(~0u, p.c[0], 1);
        w.c[0] = lane == 0 ? p.c[0] : left;
        w.c[columns + 1] = lane == 31 ? p.c[columns - 1] : right;
        return w;
    }
    WC_INLINE wide outer(const part& p) const {
        if (Kernel::diagonal) return widened(p);
        wide w;
#pragma unroll
        for (int v = 0; v < columns; ++v) w.c[v + 1] = p.c[v];
        w.c[0] = w.c[columns + 1] = 0;
        return w;
    }

    WC_INLINE void step(const part* current, part* other, int turn) const {
        const part first_under = edges[turn][under];
        wide above = outer(edges[turn][over]);
        wide here = widened(current[0]);
#pragma unroll
        for (int k = 0; k < rows; ++k) {
            const wide below = k + 1 < rows ? widened(current[k + 1]) : outer(first_under);
#pragma unroll
            for (int v = 0; v < columns; ++v) {
                near_t near;
#pragma unroll
                for (int d = 0; d < 3; ++d) {
                    near.at[0][d] = above.c[v + d];
                    near.at[1][d] = here.c[v + d];
                    near.at[2][d] = below.c[v + d];
                }
                kernel.step(row(k), column() + v, near, other[k].c[v]);
            }
            above = here;
            here = below;
        }
    }

    WC_INLINE void half(const part* current, part* other, int turn, int left) {
        if (left >= reach) {
            step(current, other, turn);
            publish(other, turn ^ 1);
        }
        __syncthreads();
    }

    // The first step reads x and rewrites y, the next one reads y, and so on.
    WC_INLINE void run(int steps) {
        publish(x, 0);
        __syncthreads();
        while (steps > 0) {
            half(x, y, 0, --steps);
            if (steps == 0) break;
            half(y, x, 1, --steps);
        }
    }
};

// The two fields of a pass, in the order in which its first step takes them: read around each cell, rewritten at it.
struct field_pair {
    array_t<float> x, y;
    float *x_out, *y_out;

    WC_INLINE field_pair(const array_t<float>& near, const array_t<float>& own, float* near_out, float* own_out,
                         bool swapped)
        : x(swapped ? own : near),
          y(swapped ? near : own),
          x_out(swapped ? own_out : near_out),
          y_out(swapped ? near_out : own_out) {}
};

// The body of an entry. near, own: the fields that the first launch of all reads and rewrites. near_out, own_out: where
// they go. swapped: an odd number of steps was done before.
template <class Kernel, int columns, int rows, int warps>
WC_INLINE void run_stencil(Kernel kernel, const launch_bounds<2>& bounds, const array_t<float>& near,
                           const array_t<float>& own, float* near_out, float* own_out, int steps, int swapped) {
    typedef stencil_block<Kernel, columns, rows, warps> block_t;
    __shared__ typename block_t::edge_rows edges;
    let_next_kernel_start();
    wait_for_previous_kernel();
    kernel.setup();
    const field_pair fields(near, own, near_out, own_out, swapped != 0);
    block_t block(kernel, edges, bounds, blockIdx.x, blockIdx.y, steps);
    block.load(block.x, fields.x);
    block.load(block.y, fields.y);
    block.run(steps);
    block.store(block.x, fields.x, fields.x_out);
    block.store(block.y, fields.y, fields.y_out);
}

// The same with any number of blocks in one row; each does every gridDim.x-th tile. Needs dynamic shared memory for a
// tile of both fields.
template <class Kernel, int columns, int rows, int warps>
WC_INLINE void run_stencil_staged(Kernel kernel, const launch_bounds<2>& bounds, const array_t<float>& near,
                                  const array_t<float>& own, float* near_out, float* own_out, int steps, int swapped) {
    typedef stencil_block<Kernel, columns, rows, warps> block_t;
    typedef typename block_t::part part;
    __shared__ typename block_t::edge_rows edges;
    extern __shared__ float4 staged[];
    part* const x_staged = reinterpret_cast<part*>(staged) + threadIdx.y * 32 + threadIdx.x;
    part* const y_staged = x_staged + rows * warps * 32;
    let_next_kernel_start();
    wait_for_previous_kernel();
    kernel.setup();
    const field_pair fields(near, own, near_out, own_out, swapped != 0);
    const int tiles_across = block_t::tiles_across(bounds, steps);
    const int tiles = tiles_across * block_t::tiles_down(bounds, steps);
    int next = blockIdx.x;
    const auto load_next = [&] {
        if (next >= tiles) return;
        const block_t block(kernel, edges, bounds, next % tiles_across, next / tiles_across, steps);
        block.load_later(x_staged, fields.x);
        block.load_later(y_staged, fields.y);
    };
    load_next();
    while (next < tiles) {
        block_t block(kernel, edges, bounds, next % tiles_across, next / tiles_across, steps);
        await_copies();
        block.take(block.x, x_staged);
        block.take(block.y, y_staged);
        next += gridDim.x;
        load_next();
        block.run(steps);
        block.store(block.x, fields.x, fields.x_out);
        block.store(block.y, fields.y, fields.y_out);
    }
}

}  // namespace wc
