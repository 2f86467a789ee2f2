#include "cuda_program.hpp"

#include "error.hpp"

namespace whitecap {

struct CudaProgram::State {};

namespace {
[[noreturn]] void missing() { throw Error(WC_ERROR_DEVICE, "CUDA programs are not built into this library yet"); }
}  // namespace

CudaProgram::CudaProgram(std::shared_ptr<const Capture> capture, const ModuleSource&, const CudaOptions&)
    : Program(std::move(capture)) {
    missing();
}
CudaProgram::~CudaProgram() = default;
std::uint64_t CudaProgram::memory_bytes() const { return 0; }
void* CudaProgram::region_pointer(std::uint32_t) const { return nullptr; }
void CudaProgram::set_parameter(const std::string&, const void*, std::size_t) { missing(); }
void CudaProgram::get_parameter(const std::string&, void*, std::size_t) { missing(); }
void CudaProgram::launch(void*) { missing(); }
void CudaProgram::synchronize() { missing(); }
void CudaProgram::set_parameter_on(const std::string&, const void*, std::size_t, void*) { missing(); }
void CudaProgram::get_parameter_on(const std::string&, void*, std::size_t, void*, bool) { missing(); }
void* CudaProgram::context() const { return nullptr; }
void* CudaProgram::stream() const { return nullptr; }
void* CudaProgram::graph() { missing(); }
void* CudaProgram::exec() { missing(); }
void* CudaProgram::add_to_graph(void*, void* const*, std::size_t) { missing(); }
void CudaProgram::add_to_capture(void*) { missing(); }

std::unique_ptr<Program> make_cuda_program(std::shared_ptr<const Capture> capture, const ModuleSource& modules,
                                           const CudaOptions& options) {
    return std::make_unique<CudaProgram>(std::move(capture), modules, options);
}

}  // namespace whitecap
