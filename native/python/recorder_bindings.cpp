// `Argument` and `Recorder` for Python.
#include "bindings.hpp"
#include "text.hpp"

namespace whitecap::python {
namespace {

using Pointers = std::vector<std::pair<std::uint32_t, std::uintptr_t>>;

LiveArgument make_argument(const py::object& value, std::uint32_t align, const Pointers& pointers,
                           const std::string& access) {
    LiveArgument argument;
    argument.value = to_bytes(BufferView(value, false, "Argument"));
    argument.align = align;
    argument.access = parse_access(access);
    if (align == 0 || align > 256 || (align & (align - 1)) != 0) {
        fail(WC_ERROR_ARGUMENT, "Argument: alignment ", align, " is no power of two up to 256");
    }
    for (const auto& [offset, address] : pointers) {
        if (argument.value.size() < 8 || offset > argument.value.size() - 8) {
            fail(WC_ERROR_ARGUMENT, "Argument: a pointer at byte ", offset, " of a value of ",
                 argument.value.size(), " bytes");
        }
        argument.pointers.push_back({offset, address});
    }
    return argument;
}

// A Recorder and the objects whose memory it names.
struct PyRecorder {
    Recorder recorder;
    std::vector<py::object> owners;

    std::uint32_t region(std::uintptr_t pointer, std::uint64_t size, std::uint32_t element_size,
                         const py::object& owner) {
        const bool known = recorder.find_region(pointer).has_value();
        const std::uint32_t id = recorder.region(pointer, size, element_size);
        if (!known && !owner.is_none()) owners.push_back(owner);
        return id;
    }

    PyCapture finish() { return {std::make_shared<const Capture>(recorder.finish()), std::move(owners)}; }
};

}  // namespace

void bind_recorder(py::module_& module) {
    py::class_<LiveArgument>(module, "Argument",
                             "One launch argument: its bytes, its alignment, where pointers stand in it.")
        .def(py::init(&make_argument), py::arg("value"), py::arg("align"), py::arg("pointers") = Pointers(),
             py::arg("access") = "unknown");

    py::class_<PyRecorder>(module, "Recorder", "Builds a Capture; nothing executes while recording.")
        .def(py::init<>())
        .def("region", &PyRecorder::region, py::arg("pointer"), py::arg("size"), py::arg("element_size") = 1,
             py::arg("owner") = py::none())
        .def(
            "find_region",
            [](const PyRecorder& self, std::uintptr_t pointer) { return self.recorder.find_region(pointer); },
            py::arg("pointer"))
        .def(
            "module",
            [](PyRecorder& self, const std::string& hash, const std::string& name) {
                self.recorder.module(hash, name);
            },
            py::arg("hash"), py::arg("name"))
        .def(
            "kernel",
            [](PyRecorder& self, const std::string& key, const std::string& hash, const std::string& symbol) {
                self.recorder.kernel(key, hash, symbol);
            },
            py::arg("key"), py::arg("module_hash"), py::arg("base_symbol"))
        .def(
            "launch",
            [](PyRecorder& self, const std::string& key, const std::string& hash,
               const std::vector<std::uint64_t>& shape, const std::vector<LiveArgument>& arguments,
               std::optional<std::uint64_t> size) {
                self.recorder.launch(key, hash, shape, arguments, size);
            },
            py::arg("key"), py::arg("module_hash"), py::arg("shape"), py::arg("arguments"),
            py::arg("size") = py::none())
        .def(
            "copy",
            [](PyRecorder& self, std::uintptr_t dst, std::uintptr_t src, std::uint64_t size) {
                self.recorder.copy(dst, src, size);
            },
            py::arg("dst"), py::arg("src"), py::arg("size"))
        .def(
            "memset",
            [](PyRecorder& self, std::uintptr_t dst, int value, std::uint64_t size) {
                self.recorder.memset(dst, value, size);
            },
            py::arg("dst"), py::arg("value"), py::arg("size"))
        .def(
            "tile",
            [](PyRecorder& self, std::uintptr_t dst, const py::object& value, std::uint64_t count) {
                self.recorder.tile(dst, to_bytes(BufferView(value, false, "Recorder.tile")), count);
            },
            py::arg("dst"), py::arg("value"), py::arg("count"))
        .def("begin_branch", [](PyRecorder& self) { self.recorder.begin_branch(); })
        .def("end_branch", [](PyRecorder& self) { self.recorder.end_branch(); })
        .def(
            "conditional",
            [](PyRecorder& self, std::uintptr_t condition, bool loop, std::size_t branches) {
                self.recorder.conditional(condition, loop, branches);
            },
            py::arg("condition"), py::arg("loop"), py::arg("branches"))
        .def(
            "binding",
            [](PyRecorder& self, const std::string& name, std::uintptr_t pointer, bool output) {
                self.recorder.binding(name, pointer, output);
            },
            py::arg("name"), py::arg("pointer"), py::arg("output") = false)
        .def("finish", &PyRecorder::finish);
}

}  // namespace whitecap::python
