// The CUDA part of `whitecap._native`: devices, live memory and launches, streams, events, and OpenGL
// buffers.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstring>

#include "cuda_interop.hpp"
#include "cuda_live.hpp"

namespace py = pybind11;
using namespace whitecap;
using namespace whitecap::cu;

namespace {

using Unlocked = py::call_guard<py::gil_scoped_release>;

CUstream stream_at(std::uintptr_t handle) {
    return reinterpret_cast<CUstream>(handle == 0 ? std::uintptr_t{1} : handle);
}

py::list devices() {
    py::list result;
    for (int ordinal = 0; ordinal < cuda_device_count(); ++ordinal) {
        const CudaDevice device = cuda_device(ordinal);
        py::dict entry;
        entry["ordinal"] = ordinal;
        entry["name"] = device.name;
        entry["arch"] = device.arch();
        entry["memory"] = device.memory;
        entry["multiprocessors"] = device.multiprocessors;
        result.append(entry);
    }
    return result;
}

py::tuple memory_info(int ordinal) {
    const CudaLive live(ordinal);
    std::size_t unused = 0, total = 0;
    WC_CUDA(cuMemGetInfo, &unused, &total);
    return py::make_tuple(unused, total);
}

// A contiguous buffer of Python's, as bytes.
struct HostBytes {
    py::buffer_info info;
    std::size_t size;

    HostBytes(const py::buffer& buffer, bool writable) : info(buffer.request(writable)), size(0) {
        if (PyBuffer_IsContiguous(info.view(), 'C') == 0)
            throw Error(WC_ERROR_ARGUMENT, "a contiguous buffer is needed");
        size = std::size_t(info.size) * std::size_t(info.itemsize);
    }
};

void upload(CUdeviceptr target, const py::buffer& source, int ordinal) {
    const HostBytes bytes(source, false);
    if (bytes.size == 0) return;
    const py::gil_scoped_release unlocked;
    const CudaLive live(ordinal);
    WC_CUDA(cuMemcpyHtoD, target, bytes.info.ptr, bytes.size);
}

void download(const py::buffer& target, CUdeviceptr source, int ordinal) {
    const HostBytes bytes(target, true);
    if (bytes.size == 0) return;
    const py::gil_scoped_release unlocked;
    const CudaLive live(ordinal);
    WC_CUDA(cuMemcpyDtoH, bytes.info.ptr, source, bytes.size);
}

void copy(CUdeviceptr target, CUdeviceptr source, std::size_t size, int ordinal) {
    const CudaLive live(ordinal);
    if (size > 0) WC_CUDA(cuMemcpyDtoDAsync, target, source, size, stream_at(0));
}

Bytes to_bytes(const py::bytes& data) {
    const std::string_view view = data;
    const auto* const start = reinterpret_cast<const std::byte*>(view.data());
    return {start, start + view.size()};
}

// `count` copies of `value`: a memset for what one expresses, else made on the host and copied.
void fill(CUdeviceptr target, const py::bytes& value, std::size_t count, int ordinal) {
    Bytes bytes = to_bytes(value);
    if (bytes.empty() || count == 0) return;
    const py::gil_scoped_release unlocked;
    const CudaLive live(ordinal);
    if (std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == bytes[0]; })) {
        WC_CUDA(cuMemsetD8Async, target, static_cast<unsigned char>(bytes[0]), bytes.size() * count,
                stream_at(0));
    } else if (std::uint32_t word = 0; bytes.size() == sizeof word && target % sizeof word == 0) {
        std::memcpy(&word, bytes.data(), sizeof word);
        WC_CUDA(cuMemsetD32Async, target, word, count, stream_at(0));
    } else {
        const std::size_t unit = bytes.size();
        bytes.resize(unit * count);
        for (std::size_t i = unit; i < bytes.size(); ++i) bytes[i] = bytes[i - unit];
        WC_CUDA(cuMemcpyHtoD, target, bytes.data(), bytes.size());
    }
}

void synchronize(int ordinal) {
    const CudaLive live(ordinal);
    WC_CUDA(cuStreamSynchronize, stream_at(0));
}

void bind_memory(py::module_& module) {
    const py::arg_v ordinal = py::arg("ordinal") = 0;
    module.def("cuda_driver_version", [] { return driver().version; });
    module.def("cuda_devices", devices);
    module.def("cuda_memory_info", memory_info, ordinal);
    module.def("cuda_allocate", cuda_allocate, py::arg("size"), ordinal);
    module.def("cuda_free", cuda_free, py::arg("pointer"), ordinal);
    module.def("cuda_upload", upload, py::arg("pointer"), py::arg("data"), ordinal);
    module.def("cuda_download", download, py::arg("out"), py::arg("pointer"), ordinal);
    module.def("cuda_copy", copy, py::arg("dst"), py::arg("src"), py::arg("size"), ordinal);
    module.def("cuda_fill", fill, py::arg("pointer"), py::arg("value"), py::arg("count"), ordinal);
    module.def("cuda_synchronize", synchronize, ordinal, Unlocked());
}

void bind_streams(py::module_& module) {
    const py::arg_v ordinal = py::arg("ordinal") = 0;
    py::class_<CudaStream>(module, "CudaStream")
        .def(py::init<int>(), ordinal)
        .def_property_readonly(
            "handle", [](const CudaStream& s) { return reinterpret_cast<std::uintptr_t>(s.handle()); })
        .def("synchronize", &CudaStream::synchronize, Unlocked());
    py::class_<CudaEvent>(module, "CudaEvent")
        .def(py::init<int>(), ordinal)
        .def(
            "record", [](CudaEvent& event, std::uintptr_t stream) { event.record(stream_at(stream)); },
            py::arg("stream") = 0)
        .def_property_readonly("done", &CudaEvent::done)
        .def("synchronize", &CudaEvent::synchronize, Unlocked())
        .def("since", &CudaEvent::since, py::arg("start"));
    py::class_<CudaLiveModule>(module, "CudaModule")
        .def(py::init([](const py::bytes& image, int device) {
                 Bytes bytes = to_bytes(image);
                 const py::gil_scoped_release unlocked;
                 return std::make_unique<CudaLiveModule>(std::move(bytes), device);
             }),
             py::arg("image"), ordinal)
        .def("launch", &CudaLiveModule::launch, py::arg("base_symbol"), py::arg("shape"),
             py::arg("arguments"), py::arg("size") = py::none());
}

void bind_interop(py::module_& module) {
    const py::arg_v ordinal = py::arg("ordinal") = 0;
    module.def("cuda_gl_devices", cuda_gl_devices);
    py::class_<CudaGLBuffer>(module, "CudaGLBuffer")
        .def(py::init([](unsigned buffer, int device) {
                 return std::make_unique<CudaGLBuffer>(buffer, CudaOptions{device, nullptr});
             }),
             py::arg("buffer"), ordinal)
        .def(
            "copy_from",
            [](CudaGLBuffer& buffer, CUdeviceptr source, std::size_t size, std::uintptr_t stream) {
                buffer.copy_from(source, size, stream_at(stream));
            },
            py::arg("pointer"), py::arg("size"), py::arg("stream") = 0);
    py::class_<CudaPinnedBuffer>(module, "CudaPinnedBuffer", py::buffer_protocol())
        .def(py::init([](std::size_t size, int device) {
                 return std::make_unique<CudaPinnedBuffer>(size, CudaOptions{device, nullptr});
             }),
             py::arg("size"), ordinal)
        .def_buffer([](CudaPinnedBuffer& buffer) {
            return py::buffer_info(static_cast<std::uint8_t*>(buffer.data()), py::ssize_t(buffer.size()));
        })
        .def(
            "copy_from",
            [](CudaPinnedBuffer& buffer, CUdeviceptr source, std::uintptr_t stream) {
                buffer.copy_from(source, stream_at(stream));
            },
            py::arg("pointer"), py::arg("stream") = 0, Unlocked());
}

}  // namespace

void bind_cuda(py::module_& module) {
    bind_memory(module);
    bind_streams(module);
    bind_interop(module);
}
