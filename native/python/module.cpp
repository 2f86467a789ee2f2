// The extension module `whitecap._native`: its exception, and the parts bound in the other files.
#include "bindings.hpp"
#include "cpu_topology.hpp"
#include "error.hpp"
#include "text.hpp"
#include "thread_pool.hpp"
#include "version.hpp"

namespace whitecap::python {

const char* device_name(DeviceType device) {
    return device == DeviceType::cpu ? "cpu" : "cuda";
}

DeviceType parse_device(const std::string& name) {
    if (name == "cpu") return DeviceType::cpu;
    if (name == "cuda") return DeviceType::cuda;
    fail(WC_ERROR_ARGUMENT, "device ", quoted(name), ", allowed are \"cpu\" and \"cuda\"");
}

namespace {

constexpr const char* kAccessNames[] = {"unknown", "read", "write", "read_write"};

PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::object> native_error;

void set_native_error(const Error& error) {
    const py::object& type = native_error.get_stored();
    const std::string message = error.what();
    const py::object text = py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
    const py::object instance = type(text);
    instance.attr("code") = error_name(error.code());
    PyErr_SetObject(type.ptr(), instance.ptr());
}

void bind_errors(py::module_& module) {
    native_error.call_once_and_store_result([&] {
        PyObject* type = PyErr_NewExceptionWithDoc(
            "whitecap._native.NativeError", "A failure of the native library; `code` is an id of errors.h.",
            PyExc_RuntimeError, nullptr);
        return py::reinterpret_steal<py::object>(type);
    });
    native_error.get_stored().attr("code") = "WC_ERROR_STATE";
    module.attr("NativeError") = native_error.get_stored();
    py::register_exception_translator([](std::exception_ptr pointer) {
        try {
            if (pointer) std::rethrow_exception(pointer);
        } catch (const Error& error) {
            set_native_error(error);
        } catch (const std::bad_alloc&) {
            set_native_error(Error(WC_ERROR_MEMORY, "out of memory"));
        }
    });
}

}  // namespace

const char* access_name(Access access) {
    return kAccessNames[static_cast<std::size_t>(access)];
}

Access parse_access(const std::string& name) {
    for (std::uint8_t i = 0; i < 4; ++i) {
        if (name == kAccessNames[i]) return static_cast<Access>(i);
    }
    fail(WC_ERROR_ARGUMENT, "access ", quoted(name), ", allowed are unknown, read, write, read_write");
}

BufferView::BufferView(const py::handle& object, bool writable, const char* who) {
    if (PyObject_GetBuffer(object.ptr(), &view_, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) == 0) return;
    PyErr_Clear();
    fail(WC_ERROR_ARGUMENT, who, ": an object of type ",
         std::string(py::str(py::type::of(object).attr("__name__"))), " given, needed is a contiguous ",
         writable ? "writable " : "", "buffer (bytes, memoryview, numpy array)");
}

Bytes to_bytes(const BufferView& view) {
    const auto* data = static_cast<const std::byte*>(view.data());
    return Bytes(data, data + view.size());
}

}  // namespace whitecap::python

PYBIND11_MODULE(_native, module) {
    using namespace whitecap;
    module.doc() = "Recording, the .wrp format and replay.";
    module.attr("__version__") = kVersion;
    python::bind_errors(module);
    python::bind_capture(module);
    python::bind_recorder(module);
    python::bind_program(module);
    module.def("cpu_targets", &cpu_targets);
    module.def("thread_count", &ThreadPool::thread_count);
    module.def("set_thread_count", &ThreadPool::set_thread_count, pybind11::arg("count"));
    bind_cuda(module);
}
