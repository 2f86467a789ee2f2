// A capture made runnable on an NVIDIA GPU: its regions in device memory, its operations one executable
// graph.
//
// Handles of the driver (CUgraph, CUgraphExec, CUgraphNode, CUstream, CUcontext) are `void*` here, as in the
// public API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "program.hpp"

namespace whitecap {

class CudaProgram : public Program {
  public:
    CudaProgram(std::shared_ptr<const Capture> capture, const ModuleSource& modules,
                const CudaOptions& options);
    ~CudaProgram() override;

    DeviceType device() const override { return DeviceType::cuda; }
    std::uint64_t memory_bytes() const override;
    void* region_pointer(std::uint32_t region) const override;

    // Ordered on the program's own stream.
    void set_parameter(const std::string& name, const void* data, std::size_t size) override;
    void get_parameter(const std::string& name, void* data, std::size_t size) override;
    void launch(void* stream = nullptr) override;
    void synchronize() override;

    // The same copies, ordered on `stream` (null: the program's own). `data` may be host or device memory. An
    // upload from pageable host memory has read `data` when it returns; from pinned or device memory it has
    // when the stream gets there. With `wait`, a download returns when the bytes are there.
    void set_parameter_on(const std::string& name, const void* data, std::size_t size, void* stream);
    void get_parameter_on(const std::string& name, void* data, std::size_t size, void* stream, bool wait);
    // The legacy default stream, as a value for `stream` above and for launch().
    static void* legacy_stream() { return reinterpret_cast<void*>(std::uintptr_t{1}); }

    void* context() const;  // CUcontext
    void* stream() const;   // CUstream, non-blocking, owned by the program
    void* graph();          // CUgraph, owned by the program
    void* exec();           // CUgraphExec, owned by the program

    // Adds the whole program to a graph of the caller's, after `count` nodes of it. Returns the node that
    // ends it.
    void* add_to_graph(void* parent, void* const* dependencies, std::size_t count);
    // Adds the whole program to the capture that `stream` is in (cuStreamBeginCapture).
    void add_to_capture(void* stream);

    // Takes over the launches of another capture that differs from this one in plain launch values only (no
    // pointers, no conditionals): the executable graph is updated in place. False, and nothing happens, when
    // they differ in more.
    bool update(std::shared_ptr<const Capture> capture);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace whitecap
