// CUDA for live arrays: memory, streams, events and launches that run at once.
//
// Everything goes through the default stream of the current context, or of the device's primary one when none
// is current, as CuPy's and PyTorch's work does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cuda_context.hpp"
#include "cuda_module.hpp"
#include "recorder.hpp"

namespace whitecap {

// The current context, else the device's primary one, which stays retained for the life of the process.
// Current in a scope.
class CudaLive {
  public:
    explicit CudaLive(int ordinal) : scope_(context(ordinal)) {}

  private:
    static cu::CUcontext context(int ordinal);
    CudaScope scope_;
};

// Device memory. Throws WC_ERROR_MEMORY when there is not enough.
cu::CUdeviceptr cuda_allocate(std::size_t size, int ordinal);
void cuda_free(cu::CUdeviceptr pointer, int ordinal) noexcept;

class CudaStream {
  public:
    explicit CudaStream(int ordinal);
    ~CudaStream();
    CudaStream(const CudaStream&) = delete;
    CudaStream& operator=(const CudaStream&) = delete;

    cu::CUstream handle() const { return handle_; }
    void synchronize() const;

  private:
    int ordinal_;
    cu::CUstream handle_ = nullptr;
};

class CudaEvent {
  public:
    explicit CudaEvent(int ordinal);
    ~CudaEvent();
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;

    void record(cu::CUstream stream);
    bool done() const;
    void synchronize() const;
    // Milliseconds from `start` to this one, both recorded and done.
    float since(const CudaEvent& start) const;

  private:
    int ordinal_;
    cu::CUevent handle_ = nullptr;
};

// A module for launches that run at once.
class CudaLiveModule {
  public:
    // `image`: cubin or PTX. Throws WC_ERROR_MODULE with the driver's reason.
    CudaLiveModule(Bytes image, int ordinal);
    ~CudaLiveModule();
    CudaLiveModule(const CudaLiveModule&) = delete;
    CudaLiveModule& operator=(const CudaLiveModule&) = delete;

    // `base_symbol` is the symbol without its device suffix. Waits for nothing.
    void launch(const std::string& base_symbol, const std::vector<std::uint64_t>& shape,
                const std::vector<LiveArgument>& arguments, std::optional<std::uint64_t> size);

  private:
    const CudaKernel& kernel(const std::string& base_symbol, bool grid2d);

    int ordinal_;
    std::shared_ptr<const CudaModule> module_;
    std::map<std::string, CudaKernel> kernels_;  // by symbol
};

}  // namespace whitecap
