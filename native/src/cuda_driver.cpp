#include "cuda_driver.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>

namespace whitecap::cu {

namespace {

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string needed() {
    return "an NVIDIA driver for CUDA " + version_text(kOldestDriver) + " or newer is needed";
}

// WHITECAP_CUDA_DRIVER names another library file; it serves tests and unusual installations.
const char* library_name() {
    const char* name = std::getenv("WHITECAP_CUDA_DRIVER");
    return name != nullptr && *name != '\0' ? name : "libcuda.so.1";
}

[[noreturn]] void unusable(const std::string& message) {
    throw Error(WC_ERROR_DEVICE, message);
}

Driver load() {
    const char* const name = library_name();
    void* const library =
        dlopen(name, RTLD_NOW | RTLD_LOCAL);  // stays loaded: contexts may outlive every program
    if (library == nullptr) {
        unusable(std::string("no CUDA: ") + name + " could not be loaded; " + needed() +
                 "; install it from your distribution or use the CPU");
    }
    const auto get_version = reinterpret_cast<CUresult (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
    Driver driver;
    if (get_version == nullptr || get_version(&driver.version) != CUDA_SUCCESS) {
        unusable(std::string("no CUDA: ") + name + " is not a working CUDA driver; " + needed() +
                 "; reinstall it or use the CPU");
    }
    if (driver.version < kOldestDriver) {
        unusable("no CUDA: the driver is for CUDA " + version_text(driver.version) + "; " + needed() +
                 "; update it or use the CPU");
    }
#define WC_CUDA_LOAD(member, symbol, parameters)                                                \
    driver.member = reinterpret_cast<CUresult(*) parameters>(dlsym(library, symbol));           \
    if (driver.member == nullptr) {                                                             \
        unusable(std::string("no CUDA: ") + name + " has no function " symbol "; " + needed() + \
                 "; update it or use the CPU");                                                 \
    }
    WC_CUDA_FUNCTIONS(WC_CUDA_LOAD)
#undef WC_CUDA_LOAD
#define WC_CUDA_LOAD_OPTIONAL(member, symbol, parameters) \
    driver.member = reinterpret_cast<CUresult(*) parameters>(dlsym(library, symbol));
    WC_CUDA_GL_FUNCTIONS(WC_CUDA_LOAD_OPTIONAL)
#undef WC_CUDA_LOAD_OPTIONAL
    const CUresult result = driver.cuInit(0);
    int count = 0;
    if (result == CUDA_ERROR_NO_DEVICE ||
        (result == CUDA_SUCCESS && (driver.cuDeviceGetCount(&count), count == 0))) {
        unusable(
            "no CUDA: the driver finds no NVIDIA GPU; check nvidia-smi and CUDA_VISIBLE_DEVICES, or use the "
            "CPU");
    }
    if (result != CUDA_SUCCESS) {
        unusable("no CUDA: cuInit failed with error " + std::to_string(result) +
                 "; check nvidia-smi (a restart helps after a driver update), or use the CPU");
    }
    return driver;
}

struct Loaded {
    Driver driver;
    std::string failure;

    Loaded() {
        try {
            driver = load();
        } catch (const Error& error) {
            failure = error.what();
        }
    }
};

struct Advice {
    CUresult result;
    const char* text;
};

// What a person can do about the failures that happen in practice.
constexpr Advice kAdvice[] = {
    {CUDA_ERROR_INVALID_VALUE, "the driver refuses the arguments; the capture may be broken"},
    {CUDA_ERROR_OUT_OF_MEMORY, "close other GPU programs or use a smaller grid"},
    {CUDA_ERROR_DEINITIALIZED, "the process is ending"},
    {CUDA_ERROR_NO_DEVICE, "check nvidia-smi, or use the CPU"},
    {CUDA_ERROR_INVALID_IMAGE, "the module binary is damaged; capture again"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "capture again with this GPU's architecture or PTX"},
    {CUDA_ERROR_ECC_UNCORRECTABLE, "the GPU's memory failed; restart the program"},
    {CUDA_ERROR_INVALID_PTX, "the module binary is damaged; capture again"},
    {CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "the OpenGL context is not current or not on an NVIDIA GPU"},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
     "the PTX was made by a toolkit newer than the driver; update the driver or capture with an older "
     "toolkit"},
    {CUDA_ERROR_NOT_FOUND, "the module binary lacks a kernel; capture again"},
    {CUDA_ERROR_ILLEGAL_ADDRESS,
     "a kernel left its arrays, now or in an earlier launch; the GPU state is lost, restart or use the CPU"},
    {CUDA_ERROR_LAUNCH_TIMEOUT,
     "a kernel ran longer than the display allows; the GPU state is lost, restart with less work in a "
     "launch"},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED,
     "the CUDA context was destroyed while in use; close programs before their context"},
    {CUDA_ERROR_LAUNCH_FAILED,
     "a kernel failed, now or in an earlier launch; the GPU state is lost, restart or use the CPU"},
};

std::atomic<bool> is_loaded{false};

}  // namespace

const Driver& driver() {
    static const Loaded loaded;
    if (!loaded.failure.empty()) unusable(loaded.failure);
    is_loaded = true;
    return loaded.driver;
}

bool driver_loaded() noexcept {
    return is_loaded;
}

bool CudaError::sticky() const noexcept {
    return result_ == CUDA_ERROR_ECC_UNCORRECTABLE || result_ == CUDA_ERROR_ILLEGAL_ADDRESS ||
           result_ == CUDA_ERROR_LAUNCH_TIMEOUT || result_ == CUDA_ERROR_CONTEXT_IS_DESTROYED ||
           result_ == CUDA_ERROR_ASSERT ||
           (result_ >= CUDA_ERROR_HARDWARE_STACK_ERROR && result_ <= CUDA_ERROR_LAUNCH_FAILED);
}

std::string result_name(CUresult result) {
    const char* name = nullptr;
    if (driver().cuGetErrorName(result, &name) == CUDA_SUCCESS && name != nullptr) return name;
    return "CUDA error " + std::to_string(result);
}

void check(CUresult result, const char* call, const std::string& doing) {
    if (result == CUDA_SUCCESS) return;
    std::string message =
        (doing.empty() ? doing : doing + ": ") + call + " failed with " + result_name(result);
    for (const Advice& advice : kAdvice) {
        if (advice.result == result) message += std::string("; ") + advice.text;
    }
    throw CudaError(result, message, result == CUDA_ERROR_OUT_OF_MEMORY ? WC_ERROR_MEMORY : WC_ERROR_CUDA);
}

}  // namespace whitecap::cu
