// Hand-written kernels that follow the module ABI (docs/architecture.md), for tests of the replayer.

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

#define KERNEL extern "C" __attribute__((visibility("default"))) void

namespace {

template <int N>
struct Bounds {
    u32 shape[N];
    alignas(8) u64 size;
    u64 coord_mult;
};
static_assert(sizeof(Bounds<1>) == 24 && sizeof(Bounds<2>) == 24 && sizeof(Bounds<3>) == 32 &&
              sizeof(Bounds<4>) == 32);

template <typename T>
struct Array {
    T* data;
    T* grad;
    int shape[4], strides[4];
    u16 ndim, flags;

    T& at(u64 i) const { return *reinterpret_cast<T*>(reinterpret_cast<u8*>(data) + i * u64(strides[0])); }
    T& at(u64 i, u64 j) const {
        return *reinterpret_cast<T*>(reinterpret_cast<u8*>(data) + i * u64(strides[0]) + j * u64(strides[1]));
    }
};
static_assert(sizeof(Array<float>) == 56);

struct AxpyArgs {
    float a;
    Array<float> x, y;
};

struct StencilArgs {
    Array<float> src, dst;
};

struct ScaleArgs {
    Array<float> field, factor;
};

struct CounterArgs {
    Array<int> counter, ticks;
};

struct IndexArgs {
    Array<int> out;
};

int clamp(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

}  // namespace

// y[i] += a * x[i]
KERNEL axpy_00000001_cpu_range(const Bounds<1>*, const AxpyArgs* args, u64 begin, u64 end) {
    for (u64 i = begin; i < end; ++i) args->y.at(i) += args->a * args->x.at(i);
}
KERNEL axpy_00000001_cpu_forward(const Bounds<1>* bounds, const AxpyArgs* args) {
    axpy_00000001_cpu_range(bounds, args, 0, bounds->size);
}
// adj_x[i] += a * adj_y[i], with the adjoint arrays passed as the data of `adjoints`
KERNEL axpy_00000001_cpu_backward(const Bounds<1>* bounds, const AxpyArgs* args, const AxpyArgs* adjoints) {
    for (u64 i = 0; i < bounds->size; ++i) adjoints->x.at(i) += args->a * adjoints->y.at(i);
}

// dst = mean of the four neighbours of src, clamped at the border
KERNEL stencil_00000002_cpu_range(const Bounds<2>* bounds, const StencilArgs* args, u64 begin, u64 end) {
    const int rows = int(bounds->shape[0]), columns = int(bounds->shape[1]);
    for (u64 t = begin; t < end; ++t) {
        const int i = int(t / u64(columns)), j = int(t % u64(columns));
        const auto src = [&](int di, int dj) {
            return args->src.at(u64(clamp(i + di, 0, rows - 1)), u64(clamp(j + dj, 0, columns - 1)));
        };
        args->dst.at(u64(i), u64(j)) = 0.25f * (((src(0, -1) + src(0, 1)) + src(-1, 0)) + src(1, 0));
    }
}
KERNEL stencil_00000002_cpu_forward(const Bounds<2>* bounds, const StencilArgs* args) {
    stencil_00000002_cpu_range(bounds, args, 0, bounds->size);
}

// Reads rows within 1 of its own from the first array, writes its own row of the second.
extern "C" {
extern __attribute__((visibility("default"))) const int stencil_00000002_cpu_rows[];
const int stencil_00000002_cpu_rows[] = {1, 1, 2, 1, 1};
}

// field *= factor[0]; no ranged entry
KERNEL scale_00000003_cpu_forward(const Bounds<2>* bounds, const ScaleArgs* args) {
    for (u64 t = 0; t < bounds->size; ++t)
        args->field.at(t / bounds->shape[1], t % bounds->shape[1]) *= args->factor.at(0);
}

// one step of a loop: --counter[0], ++ticks[0]
KERNEL countdown_00000004_cpu_forward(const Bounds<1>*, const CounterArgs* args) {
    --args->counter.at(0);
    ++args->ticks.at(0);
}

// out[t] = the thread's coordinates, two digits each
KERNEL index3_00000005_cpu_range(const Bounds<3>* bounds, const IndexArgs* args, u64 begin, u64 end) {
    for (u64 t = begin; t < end; ++t) {
        const u64 linear = t / bounds->coord_mult;
        const u64 k = linear % bounds->shape[2], j = linear / bounds->shape[2] % bounds->shape[1];
        const u64 i = linear / bounds->shape[2] / bounds->shape[1];
        args->out.at(t) = int(i * 10000 + j * 100 + k);
    }
}
KERNEL index3_00000005_cpu_forward(const Bounds<3>* bounds, const IndexArgs* args) {
    index3_00000005_cpu_range(bounds, args, 0, bounds->size);
}

// nothing at all: what a launch costs
KERNEL nothing_00000006_cpu_forward(const Bounds<1>*, const void*) {}
