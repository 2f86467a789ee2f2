// Helper kernels of the replayer: conditions of IF and WHILE nodes, and fills that a memset node cannot express.
//
// The library carries them as PTX text (cuda_support_ptx.hpp), so that neither a toolkit nor NVRTC is needed. After a
// change, make that text again with tools of CUDA 12.4 or newer:
//
//     nvcc -arch=compute_75 -ptx cuda_support.cu -o cuda_support.ptx
//
// and lower its first lines to `.version 7.0` and `.target sm_60`, which every supported driver reads.

extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned int value);

// A handle of 0 is left out.
extern "C" __global__ void wc_condition(unsigned long long when_true, unsigned long long when_false, const int* condition) {
    const unsigned int value = *condition != 0;
    if (when_true) cudaGraphSetConditional(when_true, value);
    if (when_false) cudaGraphSetConditional(when_false, 1u - value);
}

template <typename Word>
__device__ void tile(Word* dst, const Word* value, unsigned int words, unsigned long long total) {
    const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += step) {
        dst[i] = value[i % words];
    }
}

// dst[0..total) = value[0..words) repeated.
extern "C" __global__ void wc_tile_words(unsigned int* dst, const unsigned int* value, unsigned int words,
                                         unsigned long long total) {
    tile(dst, value, words, total);
}
extern "C" __global__ void wc_tile_bytes(unsigned char* dst, const unsigned char* value, unsigned int words,
                                         unsigned long long total) {
    tile(dst, value, words, total);
}
