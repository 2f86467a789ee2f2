// `Capture` for Python: its records as dictionaries, and the captures made from it.
#include "bindings.hpp"
#include "capture_edit.hpp"
#include "format.hpp"
#include "reader.hpp"
#include "text.hpp"
#include "writer.hpp"

namespace whitecap::python {
namespace {

using NameAndAddress = std::pair<std::string, std::uintptr_t>;

// A string field of a record given as a dictionary.
template <typename Value>
Value field(const py::dict& record, const char* name, const char* who) {
    if (!record.contains(name)) fail(WC_ERROR_ARGUMENT, who, ": a record lacks \"", name, "\"");
    try {
        return record[name].cast<Value>();
    } catch (const py::cast_error&) {
        fail(WC_ERROR_ARGUMENT, who, ": \"", name, "\" has the wrong type");
    }
}

py::list modules(const PyCapture& self) {
    py::list out;
    for (const Module& module : self.capture->modules) {
        py::dict record;
        record["hash"] = module.hash;
        record["name"] = module.name;
        record["binary_filename"] = module.binary_filename;
        record["arch"] = module.arch;
        record["binary_digest"] = module.binary_digest;
        out.append(record);
    }
    return out;
}

py::list alternatives(const PyCapture& self) {
    py::list out;
    for (const ModuleAlternative& alternative : self.capture->alternatives) {
        py::dict record;
        record["module_hash"] = alternative.module_hash;
        record["target"] = alternative.target;
        record["filename"] = alternative.filename;
        record["digest"] = alternative.digest;
        out.append(record);
    }
    return out;
}

py::list kernels(const PyCapture& self) {
    py::list out;
    for (const Kernel& kernel : self.capture->kernels) {
        py::dict record;
        record["key"] = kernel.key;
        record["module_hash"] = kernel.module_hash;
        record["forward_name"] = kernel.forward_name;
        record["backward_name"] = kernel.backward_name;
        record["forward_smem"] = kernel.forward_smem;
        record["backward_smem"] = kernel.backward_smem;
        record["block_dim"] = kernel.block_dim;
        out.append(record);
    }
    return out;
}

py::list bindings(const PyCapture& self) {
    py::list out;
    const Capture& capture = *self.capture;
    for (std::size_t i = 0; i < capture.bindings.size(); ++i) {
        py::dict record;
        record["name"] = capture.bindings[i].name;
        record["region"] = capture.bindings[i].region;
        record["size"] = find_region(capture, capture.bindings[i].region)->size;
        record["output"] = i >= capture.input_count;
        out.append(record);
    }
    return out;
}

py::list regions(const PyCapture& self) {
    py::list out;
    for (const Region& region : self.capture->regions) {
        py::dict record;
        record["id"] = region.id;
        record["element_size"] = region.element_size;
        record["size"] = region.size;
        record["has_data"] = region.has_data || region.external != nullptr;
        out.append(record);
    }
    return out;
}

py::list operations(const std::vector<Operation>& stream);

struct Describe {
    py::dict operator()(const Launch& launch) const {
        py::dict record = named("launch");
        py::list shape, arguments;
        for (int d = 0; d < launch.ndim; ++d) shape.append(launch.shape[static_cast<std::size_t>(d)]);
        for (const Argument& argument : launch.arguments) arguments.append(describe(argument));
        record["kernel"] = launch.kernel_key;
        record["module_hash"] = launch.module_hash;
        record["shape"] = py::tuple(shape);
        record["size"] = launch.size;
        record["forward"] = launch.forward;
        record["block_dim"] = launch.block_dim;
        record["arguments"] = arguments;
        return record;
    }

    py::dict operator()(const MemoryCopy& copy) const {
        py::dict record = named("copy");
        record["dst_region"] = copy.dst_region;
        record["dst_offset"] = copy.dst_offset;
        record["src_region"] = copy.src_region;
        record["src_offset"] = copy.src_offset;
        record["size"] = copy.size;
        return record;
    }

    py::dict operator()(const MemoryUpload& upload) const {
        py::dict record = named("upload");
        record["region"] = upload.dst_region;
        record["offset"] = upload.dst_offset;
        record["size"] = upload.data.size();
        return record;
    }

    py::dict operator()(const MemorySet& set) const {
        py::dict record = named("memset");
        record["region"] = set.region;
        record["offset"] = set.offset;
        record["size"] = set.size;
        record["value"] = set.value & 0xff;
        return record;
    }

    py::dict operator()(const MemoryTile& tile) const {
        py::dict record = named("tile");
        record["region"] = tile.region;
        record["offset"] = tile.offset;
        record["count"] = tile.count;
        record["value"] = raw(tile.value);
        return record;
    }

    py::dict operator()(const Conditional& conditional) const {
        py::dict record = named(conditional.loop ? "while" : "if");
        py::list branches;
        branches.append(operations(conditional.branch_a));
        if (!conditional.branch_b.empty()) branches.append(operations(conditional.branch_b));
        record["region"] = conditional.region;
        record["offset"] = conditional.offset;
        record["branches"] = branches;
        return record;
    }

    py::dict operator()(const OpaqueOp& opaque) const {
        py::dict record = named(format::op_name(opaque.type));
        record["type"] = opaque.type;
        record["size"] = opaque.record.size();
        return record;
    }

  private:
    static py::dict named(const char* kind) {
        py::dict record;
        record["kind"] = kind;
        return record;
    }

    static py::bytes raw(const Bytes& bytes) {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    static py::dict describe(const Argument& argument) {
        py::dict record;
        py::list regions;
        for (const Relocation& relocation : argument.relocations) {
            if (relocation.kind == RelocationKind::data_pointer) regions.append(relocation.region);
        }
        record["size"] = argument.value.size();
        record["bytes"] = raw(argument.value);
        record["regions"] = regions;
        record["access"] = access_name(argument.access);
        return record;
    }
};

py::list operations(const std::vector<Operation>& stream) {
    py::list out;
    for (const Operation& operation : stream) out.append(std::visit(Describe{}, operation.op));
    return out;
}

// The same owners, another capture.
PyCapture derived(const PyCapture& self, Capture capture) {
    return {std::make_shared<const Capture>(std::move(capture)), self.owners};
}

PyCapture with_python_modules(const PyCapture& self, const std::vector<py::dict>& modules,
                              const std::vector<py::dict>& others) {
    const char* who = "with_modules";
    std::vector<ModuleFile> files;
    for (const py::dict& record : modules) {
        files.push_back({field<std::string>(record, "hash", who), field<std::string>(record, "name", who),
                         field<std::string>(record, "binary_filename", who),
                         field<std::uint32_t>(record, "arch", who)});
    }
    std::vector<ModuleAlternative> alternatives;
    for (const py::dict& record : others) {
        alternatives.push_back(
            {field<std::string>(record, "module_hash", who), field<std::string>(record, "target", who),
             field<std::string>(record, "filename", who), field<std::string>(record, "digest", who)});
    }
    return derived(self, with_modules(*self.capture, files, std::move(alternatives)));
}

PyCapture from_buffer(const py::object& data) {
    const BufferView view(data, false, "Capture.from_bytes");
    const py::gil_scoped_release release;
    return {std::make_shared<const Capture>(read_capture(view.data(), view.size())), {}};
}

py::bytes encode(const PyCapture& self) {
    Bytes bytes;
    {
        const py::gil_scoped_release release;
        bytes = write_capture(*self.capture);
    }
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void bind_capture(py::module_& module) {
    py::class_<PyCapture>(module, "Capture", "A decoded program. Immutable; changes give another one.")
        .def_static(
            "from_file",
            [](const std::string& path) {
                const py::gil_scoped_release release;
                return PyCapture{std::make_shared<const Capture>(read_capture_file(path)), {}};
            },
            py::arg("path"))
        .def_static("from_bytes", &from_buffer, py::arg("data"))
        .def_property_readonly("device",
                               [](const PyCapture& self) { return device_name(self.capture->device); })
        .def_property_readonly("target_arch", [](const PyCapture& self) { return self.capture->target_arch; })
        .def_property_readonly("producer", [](const PyCapture& self) { return self.capture->producer; })
        .def_property_readonly("whitecap_producer",
                               [](const PyCapture& self) { return self.capture->whitecap_producer; })
        .def_property_readonly("modules", &modules)
        .def_property_readonly("alternatives", &alternatives)
        .def_property_readonly("kernels", &kernels)
        .def_property_readonly("bindings", &bindings)
        .def_property_readonly("regions", &regions)
        .def_property_readonly("operations",
                               [](const PyCapture& self) { return operations(self.capture->operations); })
        .def_property_readonly("launch_count",
                               [](const PyCapture& self) { return launch_count(self.capture->operations); })
        .def(
            "retargeted",
            [](const PyCapture& self, const std::string& device, std::uint32_t arch) {
                return derived(self, retarget(*self.capture, parse_device(device), arch));
            },
            py::arg("device"), py::arg("arch") = 0)
        .def("with_modules", &with_python_modules, py::arg("modules"),
             py::arg("alternatives") = std::vector<py::dict>())
        .def(
            "with_parameters",
            [](const PyCapture& self, const std::vector<NameAndAddress>& inputs,
               const std::vector<NameAndAddress>& outputs) {
                return derived(self, with_parameters(*self.capture, inputs, outputs));
            },
            py::arg("inputs"), py::arg("outputs"))
        .def("encode", &encode);
}

}  // namespace whitecap::python
