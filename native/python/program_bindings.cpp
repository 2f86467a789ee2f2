// `Program` and `CpuModule` for Python.
#include <map>

#include "bindings.hpp"
#include "cpu_launch.hpp"
#include "cpu_module.hpp"
#include "cuda_program.hpp"
#include "module_choice.hpp"
#include "module_source.hpp"
#include "program.hpp"
#include "text.hpp"

namespace whitecap::python {
namespace {

std::unique_ptr<ModuleSource> module_source(const py::object& modules) {
    if (!py::isinstance<py::dict>(modules))
        return std::make_unique<FolderModules>(py::str(modules).cast<std::string>());
    auto source = std::make_unique<MemoryModules>();
    for (const auto& [name, data] : modules.cast<py::dict>()) {
        source->add(py::str(name).cast<std::string>(), to_bytes(BufferView(data, false, "Program, modules")));
    }
    return source;
}

class PyProgram {
  public:
    PyProgram(const PyCapture& capture, const py::object& modules, const std::string& device, int threads,
              int ordinal, bool row_chains)
        : owners_(capture.owners) {
        const std::unique_ptr<ModuleSource> source = module_source(modules);
        const DeviceType type = parse_device(device);
        const py::gil_scoped_release release;
        if (type == DeviceType::cpu) {
            program_ = make_cpu_program(capture.capture, *source, {threads, false, row_chains});
        } else {
            program_ = make_cuda_program(capture.capture, *source, {ordinal, nullptr});
        }
    }

    ~PyProgram() {
        const py::gil_scoped_release release;  // a CUDA program waits for its device here
        program_.reset();
    }

    Program& program() const { return *program_; }
    PyCapture capture() const {
        // The program keeps its capture alive; the alias shares that ownership with Python.
        return {program_->shared_capture(), owners_};
    }

    const Region& region(const std::string& name) const {
        const Binding* binding = find_binding(program_->capture(), name);
        if (binding == nullptr) {
            fail(WC_ERROR_PARAMETER, "parameter ", quoted(name), " does not exist; the capture has ",
                 list_bindings(program_->capture()));
        }
        return *find_region(program_->capture(), binding->region);
    }

    void set_parameter(const std::string& name, const py::object& data) {
        const BufferView view(data, false, "set_parameter");
        const py::gil_scoped_release release;
        program_->set_parameter(name, view.data(), view.size());
    }

    void get_parameter(const std::string& name, const py::object& out) {
        const BufferView view(out, true, "get_parameter");
        const py::gil_scoped_release release;
        program_->get_parameter(name, view.data(), view.size());
    }

    // nullptr on the CPU.
    CudaProgram* cuda() const { return dynamic_cast<CudaProgram*>(program_.get()); }

    CudaProgram& require_cuda(const char* method) const {
        if (cuda() == nullptr)
            fail(WC_ERROR_UNSUPPORTED, "Program.", method,
                 ": the program runs on the CPU; make it with device=\"cuda\"");
        return *cuda();
    }

    bool update(const PyCapture& capture) {
        if (cuda() == nullptr) return false;
        const py::gil_scoped_release release;
        return cuda()->update(capture.capture);
    }

    std::uintptr_t add_to_graph(std::uintptr_t graph, const std::vector<std::uintptr_t>& after) {
        CudaProgram& program = require_cuda("add_to_graph");
        std::vector<void*> nodes;
        for (std::uintptr_t node : after) nodes.push_back(reinterpret_cast<void*>(node));
        const py::gil_scoped_release release;
        return address(program.add_to_graph(reinterpret_cast<void*>(graph), nodes.data(), nodes.size()));
    }

    void add_to_capture(std::uintptr_t stream) {
        CudaProgram& program = require_cuda("add_to_capture");
        const py::gil_scoped_release release;
        program.add_to_capture(reinterpret_cast<void*>(stream));
    }

    static std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

    void launch(std::int64_t count, std::uintptr_t stream) {
        if (count < 0) fail(WC_ERROR_ARGUMENT, "launch: count ", count, " is negative");
        const py::gil_scoped_release release;
        for (std::int64_t i = 0; i < count; ++i) program_->launch(reinterpret_cast<void*>(stream));
    }

  private:
    std::vector<py::object> owners_;
    std::unique_ptr<Program> program_;
};

// A region as a buffer. It holds the Python program, and a memoryview of it holds this object.
struct RegionView {
    py::object program;
    void* data;
    std::size_t size;
};

py::object view(const py::object& self, const std::string& name) {
    const auto& program = self.cast<const PyProgram&>();
    if (program.program().device() != DeviceType::cpu) {
        fail(WC_ERROR_UNSUPPORTED, "view: parameter ", quoted(name),
             " lies in device memory; use get_parameter");
    }
    const Region& region = program.region(name);
    const py::object buffer = py::cast(
        RegionView{self, program.program().region_pointer(region.id), static_cast<std::size_t>(region.size)});
    return py::memoryview(buffer);
}

class PyCpuModule {
  public:
    explicit PyCpuModule(std::string path) : path_(std::move(path)), module_(CpuModule::load_file(path_)) {}
    const std::string& path() const { return path_; }

    void launch(const std::string& base_symbol, const std::vector<std::uint64_t>& shape,
                const std::vector<LiveArgument>& arguments, std::optional<std::uint64_t> size, int threads) {
        if (threads < 0 || threads > ThreadPool::kMaxThreads) {
            fail(WC_ERROR_ARGUMENT, "launch of ", quoted(base_symbol), ": ", threads,
                 " threads, allowed are 0 to ", ThreadPool::kMaxThreads);
        }
        Launch launch = make_launch(base_symbol, shape, size);
        std::vector<const void*> addresses;
        for (const LiveArgument& live : arguments) {
            Argument argument;
            argument.value = live.value;
            argument.align = live.align;
            for (const LiveArgument::Pointer& pointer : live.pointers) {
                Relocation relocation;
                relocation.value_offset = pointer.offset;
                relocation.region_offset = addresses.size();  // of its address in the list
                argument.relocations.push_back(relocation);
                addresses.push_back(reinterpret_cast<const void*>(pointer.address));
            }
            launch.arguments.push_back(std::move(argument));
        }
        const CpuLaunch prepared(launch, entries(base_symbol),
                                 [&](const Relocation& r) { return addresses[r.region_offset]; });
        const py::gil_scoped_release release;
        ThreadPool::Session session(threads, prepared.splittable());
        prepared.run(session);
    }

  private:
    const CpuEntries& entries(const std::string& base_symbol) {
        const auto [known, added] = entries_.emplace(base_symbol, CpuEntries());
        CpuEntries& found = known->second;
        if (added) {
            found.forward =
                reinterpret_cast<CpuEntries::Forward>(module_->find(base_symbol + "_cpu_forward"));
            found.range = reinterpret_cast<CpuEntries::Range>(module_->find(base_symbol + "_cpu_range"));
        }
        if (found.forward == nullptr && found.range == nullptr) {
            fail(WC_ERROR_SYMBOL, path_, ": has no kernel ", quoted(base_symbol + "_cpu_forward"));
        }
        return found;
    }

    std::string path_;
    std::shared_ptr<CpuModule> module_;
    std::map<std::string, CpuEntries> entries_;
};

}  // namespace

void bind_program(py::module_& module) {
    py::class_<RegionView>(module, "_RegionView", py::buffer_protocol()).def_buffer([](RegionView& self) {
        return py::buffer_info(self.data, 1, py::format_descriptor<std::uint8_t>::format(),
                               static_cast<py::ssize_t>(self.size));
    });

    py::class_<PyProgram>(module, "Program", "A capture made runnable. One thread at a time.")
        .def(py::init<const PyCapture&, const py::object&, const std::string&, int, int, bool>(),
             py::arg("capture"), py::arg("modules"), py::arg("device") = "cpu", py::arg("threads") = 0,
             py::arg("ordinal") = 0, py::arg("row_chains") = true)
        .def_property_readonly("device",
                               [](const PyProgram& self) { return device_name(self.program().device()); })
        .def_property_readonly("capture", &PyProgram::capture)
        .def_property_readonly("memory_bytes",
                               [](const PyProgram& self) { return self.program().memory_bytes(); })
        .def(
            "parameter_size",
            [](const PyProgram& self, const std::string& name) { return self.region(name).size; },
            py::arg("name"))
        .def(
            "parameter_pointer",
            [](const PyProgram& self, const std::string& name) {
                return PyProgram::address(self.program().region_pointer(self.region(name).id));
            },
            py::arg("name"))
        .def("set_parameter", &PyProgram::set_parameter, py::arg("name"), py::arg("data"))
        .def("get_parameter", &PyProgram::get_parameter, py::arg("name"), py::arg("out"))
        .def("view", &view, py::arg("name"))
        .def("launch", &PyProgram::launch, py::arg("count") = 1, py::arg("stream") = 0)
        .def("synchronize",
             [](PyProgram& self) {
                 const py::gil_scoped_release release;
                 self.program().synchronize();
             })
        .def_property_readonly(
            "stream",
            [](const PyProgram& self) { return self.cuda() ? PyProgram::address(self.cuda()->stream()) : 0; })
        .def_property_readonly("context",
                               [](const PyProgram& self) {
                                   return self.cuda() ? PyProgram::address(self.cuda()->context()) : 0;
                               })
        .def_property_readonly(
            "graph",
            [](const PyProgram& self) { return self.cuda() ? PyProgram::address(self.cuda()->graph()) : 0; })
        .def("update", &PyProgram::update, py::arg("capture"))
        .def("add_to_graph", &PyProgram::add_to_graph, py::arg("graph"),
             py::arg("after") = std::vector<std::uintptr_t>())
        .def("add_to_capture", &PyProgram::add_to_capture, py::arg("stream"));

    py::class_<PyCpuModule>(module, "CpuModule",
                            "A host shared library with kernels, for launches that run at once.")
        .def(py::init<std::string>(), py::arg("path"))
        .def_property_readonly("path", &PyCpuModule::path)
        .def("launch", &PyCpuModule::launch, py::arg("base_symbol"), py::arg("shape"), py::arg("arguments"),
             py::arg("size") = py::none(), py::arg("threads") = 0);
}

}  // namespace whitecap::python
