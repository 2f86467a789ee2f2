// What the two halves of the C API share: the graph behind the opaque pointer, and the calling thread's last
// error.
#pragma once

#include <memory>
#include <new>
#include <string>

#include "cpu_program.hpp"
#include "cuda_program.hpp"
#include "text.hpp"
#include "whitecap/whitecap.h"

struct wc_graph {
    std::unique_ptr<whitecap::Program> program;
};

namespace whitecap {

void set_last_error(wc_error code, const char* message) noexcept;

// Runs `call` and keeps its error for the thread; nothing is thrown into C. Gives `failure` after an error.
template <typename Result, typename Call>
Result guarded(Result failure, const Call& call) noexcept {
    try {
        Result result = call();
        set_last_error(WC_OK, "");
        return result;
    } catch (const Error& error) {
        set_last_error(error.code(), error.what());
    } catch (const std::bad_alloc&) {
        set_last_error(WC_ERROR_MEMORY, "out of memory");
    } catch (const std::exception& error) {
        set_last_error(WC_ERROR_STATE, error.what());
    }
    return failure;
}

// The same for functions that give the error itself.
template <typename Call>
wc_error checked(const Call& call) noexcept {
    return guarded(false, [&] { return call(), true; }) ? WC_OK : wc_last_error();
}

template <typename Pointer>
Pointer require(Pointer pointer, const char* function, const char* argument) {
    if (pointer == nullptr) fail(WC_ERROR_ARGUMENT, function, ": ", argument, " is NULL");
    return pointer;
}

inline Program& program_of(const wc_graph* graph, const char* function) {
    return *require(graph, function, "graph")->program;
}

// Throws WC_ERROR_UNSUPPORTED on the other device.
CudaProgram& cuda_program_of(wc_graph* graph, const char* function);
CpuProgram& cpu_program_of(wc_graph* graph, const char* function);

// Throws WC_ERROR_PARAMETER.
const Region& parameter_region(const Capture& capture, const std::string& name);

}  // namespace whitecap
