// What the binding's files share.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

#include "capture.hpp"
#include "recorder.hpp"

namespace whitecap::python {

namespace py = pybind11;

// A Capture and the Python objects whose memory its external regions are.
struct PyCapture {
    std::shared_ptr<const Capture> capture;
    std::vector<py::object> owners;
};

void bind_capture(py::module_& module);
void bind_recorder(py::module_& module);
void bind_program(py::module_& module);

const char* device_name(DeviceType device);
DeviceType parse_device(const std::string& name);
const char* access_name(Access access);
Access parse_access(const std::string& name);

// The bytes of any contiguous buffer, held while this object lives.
class BufferView {
  public:
    BufferView(const py::handle& object, bool writable, const char* who);
    ~BufferView() { PyBuffer_Release(&view_); }
    BufferView(const BufferView&) = delete;
    BufferView& operator=(const BufferView&) = delete;
    void* data() const { return view_.buf; }
    std::size_t size() const { return static_cast<std::size_t>(view_.len); }

  private:
    Py_buffer view_{};
};

Bytes to_bytes(const BufferView& view);

}  // namespace whitecap::python

// In cuda_bindings.cpp.
void bind_cuda(pybind11::module_& module);
