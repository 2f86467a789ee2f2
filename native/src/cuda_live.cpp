#include "cuda_live.hpp"

#include <mutex>

#include "cuda_memory.hpp"
#include "text.hpp"

namespace whitecap {

using namespace cu;

namespace {

constexpr std::int32_t kBlock = 256;  // what the emitted 1-D entries are compiled for

CUstream default_stream() {
    return reinterpret_cast<CUstream>(std::uintptr_t{1});
}

Launch cuda_launch(const std::string& name, const std::vector<std::uint64_t>& shape,
                   const std::vector<LiveArgument>& arguments, std::optional<std::uint64_t> size) {
    Launch launch = make_launch(name, shape, size);
    launch.dim = launch.size;
    launch.block_dim = kBlock;
    for (const LiveArgument& live : arguments) {
        Argument argument{live.value, live.align, {}, live.access};
        for (const LiveArgument::Pointer& pointer : live.pointers) {
            if (std::size_t(pointer.offset) + sizeof(std::uint64_t) > live.value.size()) {
                fail(WC_ERROR_ARGUMENT, "launch of ", quoted(name), ": a pointer at byte ", pointer.offset,
                     " of an argument of ", live.value.size(), " bytes");
            }
            argument.relocations.push_back(
                {pointer.offset, kNoRegion, pointer.address, RelocationKind::data_pointer});
        }
        launch.arguments.push_back(std::move(argument));
    }
    return launch;
}

}  // namespace

CUcontext CudaLive::context(int ordinal) {
    CUcontext current = nullptr;
    WC_CUDA(cuCtxGetCurrent, &current);
    if (current != nullptr) return current;
    // Kept for the life of the process: arrays may go after everything else.
    static std::mutex mutex;
    static auto* const retained = new std::map<int, CudaContext*>;
    const std::lock_guard<std::mutex> lock(mutex);
    auto found = retained->find(ordinal);
    if (found == retained->end())
        found = retained->emplace(ordinal, new CudaContext({ordinal, nullptr})).first;
    return found->second->handle();
}

CUdeviceptr cuda_allocate(std::size_t size, int ordinal) {
    const CudaLive live(ordinal);
    return CudaAllocation(size > 0 ? size : 1).release();
}

void cuda_free(CUdeviceptr pointer, int ordinal) noexcept {
    try {
        const CudaLive live(ordinal);
        driver().cuMemFree(pointer);
    } catch (const Error&) {
        // The context, or the process, is ending and the memory with it.
    }
}

CudaStream::CudaStream(int ordinal) : ordinal_(ordinal) {
    const CudaLive live(ordinal_);
    WC_CUDA(cuStreamCreate, &handle_, unsigned(CU_STREAM_NON_BLOCKING));
}

CudaStream::~CudaStream() {
    driver().cuStreamDestroy(handle_);
}

void CudaStream::synchronize() const {
    const CudaLive live(ordinal_);
    WC_CUDA(cuStreamSynchronize, handle_);
}

CudaEvent::CudaEvent(int ordinal) : ordinal_(ordinal) {
    const CudaLive live(ordinal_);
    WC_CUDA(cuEventCreate, &handle_, unsigned(CU_EVENT_DEFAULT));
}

CudaEvent::~CudaEvent() {
    driver().cuEventDestroy(handle_);
}

void CudaEvent::record(CUstream stream) {
    const CudaLive live(ordinal_);
    WC_CUDA(cuEventRecord, handle_, stream == nullptr ? default_stream() : stream);
}

bool CudaEvent::done() const {
    const CudaLive live(ordinal_);
    const CUresult result = driver().cuEventQuery(handle_);
    if (result == CUDA_ERROR_NOT_READY) return false;
    check(result, "cuEventQuery");
    return true;
}

void CudaEvent::synchronize() const {
    const CudaLive live(ordinal_);
    WC_CUDA(cuEventSynchronize, handle_);
}

float CudaEvent::since(const CudaEvent& start) const {
    const CudaLive live(ordinal_);
    float milliseconds = 0;
    WC_CUDA(cuEventElapsedTime, &milliseconds, start.handle_, handle_);
    return milliseconds;
}

CudaLiveModule::CudaLiveModule(Bytes image, int ordinal) : ordinal_(ordinal) {
    const CudaLive live(ordinal_);
    image.push_back(std::byte{0});  // PTX is text
    std::string log;
    try {
        module_ = CudaModule::load(image, log);
    } catch (const CudaError& error) {
        fail(WC_ERROR_MODULE, "loading a CUDA module: ", error.what(), log.empty() ? "" : " (",
             log.substr(0, log.find('\n')), log.empty() ? "" : ")");
    }
}

CudaLiveModule::~CudaLiveModule() {
    try {
        const CudaLive live(ordinal_);
        module_.reset();
    } catch (const Error&) {
        // The context went first, and the module with it.
    }
}

const CudaKernel& CudaLiveModule::kernel(const std::string& base_symbol, bool grid2d) {
    const std::string name = base_symbol + (grid2d ? "_cuda_grid2d" : "_cuda_kernel_forward");
    auto found = kernels_.find(name);
    if (found == kernels_.end()) {
        CudaKernel kernel;
        kernel.function = module_->find(name);
        kernel.grid2d = grid2d;
        found = kernels_.emplace(name, kernel).first;
    }
    return found->second;
}

void CudaLiveModule::launch(const std::string& base_symbol, const std::vector<std::uint64_t>& shape,
                            const std::vector<LiveArgument>& arguments, std::optional<std::uint64_t> size) {
    const Launch launch = cuda_launch(base_symbol, shape, arguments, size);
    if (launch.dim == 0) return;
    const CudaLive live(ordinal_);
    const CudaKernel* kernel = fits_grid2d(launch) ? &this->kernel(base_symbol, true) : nullptr;
    if (kernel == nullptr || kernel->function == nullptr) kernel = &this->kernel(base_symbol, false);
    if (kernel->function == nullptr) {
        fail(WC_ERROR_SYMBOL, "launch of ", quoted(base_symbol),
             ": its CUDA module has no such kernel; compile it again");
    }
    CudaArguments packed(launch, [](const Relocation& relocation) { return relocation.region_offset; });
    check_parameters(kernel->function, base_symbol, packed.sizes());
    const CudaGrid grid = cuda_grid(launch, *kernel, 0);
    WC_CUDA(cuLaunchKernel, kernel->function, grid.grid[0], grid.grid[1], grid.grid[2], grid.block[0],
            grid.block[1], grid.block[2], grid.shared_bytes, default_stream(), packed.pointers(), nullptr);
}

}  // namespace whitecap
