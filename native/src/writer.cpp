// The container around the three sections that Warp knows, and our own as the fourth.
#include "writer.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "bytes.hpp"
#include "extension.hpp"
#include "format.hpp"
#include "reader.hpp"
#include "validate.hpp"

namespace whitecap {
namespace {

std::uint32_t checked_u32(std::size_t value, const char* what) {
    if (value > std::numeric_limits<std::uint32_t>::max()) {
        fail(WC_ERROR_LIMIT, "save: ", what, " is ", value, ", more than the 32 bits that the format has for it");
    }
    return static_cast<std::uint32_t>(value);
}

std::uint16_t checked_u16(std::size_t value, const char* what) {
    if (value > std::numeric_limits<std::uint16_t>::max()) {
        fail(WC_ERROR_LIMIT, "save: ", what, " is ", value, ", more than the 16 bits that the format has for it");
    }
    return static_cast<std::uint16_t>(value);
}

template <typename Record, typename Less>
std::vector<const Record*> sorted(const std::vector<Record>& records, const Less& less) {
    std::vector<const Record*> order;
    for (const Record& record : records) order.push_back(&record);
    std::sort(order.begin(), order.end(), [&](const Record* a, const Record* b) { return less(*a, *b); });
    return order;
}

void write_module(ByteWriter& out, const Module& module) {
    out.string(module.hash);
    out.string(module.name);
    out.string(module.binary_filename);
    out.write(module.arch);
    out.string(module.binary_digest);
    out.string(module.source_filename);
    out.string(module.source_digest);
    out.write(module.binary_kind);
    out.write(module.fallback_reason);
    out.write_bytes(module.recipe.data(), module.recipe.size());
}

void write_mesh(ByteWriter& out, const Mesh& mesh) {
    out.write(mesh.num_points);
    out.write(mesh.num_tris);
    out.write(mesh.winding_number);
    out.write(mesh.bvh_constructor);
    out.write(mesh.leaf_size);
    out.write(mesh.points_region);
    out.write(mesh.indices_region);
    out.write(mesh.velocities_region);
    out.write(mesh.handle);
}

Bytes write_metadata(const Capture& capture) {
    ByteWriter out;
    out.write(format::kVersion);
    out.string(format::kProducer);
    out.write(capture.target_arch);
    for (std::size_t count : {capture.modules.size(), capture.kernels.size(), capture.bindings.size(), capture.meshes.size(),
                              capture.pointer_locations.size()}) {
        out.write(checked_u32(count, "a number of records"));
    }
    const auto by_hash = [](const Module& a, const Module& b) { return a.hash < b.hash; };
    for (const Module* module : sorted(capture.modules, by_hash)) write_module(out, *module);
    const auto by_key = [](const Kernel& a, const Kernel& b) {
        return std::tie(a.module_hash, a.key) < std::tie(b.module_hash, b.key);
    };
    for (const Kernel* kernel : sorted(capture.kernels, by_key)) {
        out.string(kernel->key);
        out.string(kernel->module_hash);
        out.string(kernel->forward_name);
        out.string(kernel->backward_name);
        out.write(kernel->forward_smem);
        out.write(kernel->backward_smem);
        out.write(kernel->block_dim);
    }
    for (const Binding& binding : capture.bindings) {
        out.string(binding.name);
        out.write(binding.region);
    }
    for (const Mesh& mesh : capture.meshes) write_mesh(out, mesh);
    for (const PointerLocation& location : capture.pointer_locations) {
        out.write(location.region);
        out.write(location.offset);
        out.write(location.stride);
        out.write(location.count);
    }
    return out.release();
}

Bytes write_memory(const Capture& capture) {
    ByteWriter out;
    out.write(checked_u32(capture.regions.size(), "the number of regions"));
    for (const Region& region : capture.regions) {
        const bool has_data = region.has_data || region.external != nullptr;
        out.write(region.id);
        out.write(region.element_size);
        out.write(region.size);
        out.write(static_cast<std::uint8_t>(has_data));
        out.zeros(7);
        if (region.external != nullptr) {
            out.write_bytes(region.external, static_cast<std::size_t>(region.size));
        } else if (has_data) {
            out.write_bytes(region.data);
        }
    }
    return out.release();
}

class StreamWriter {
  public:
    void write(const std::vector<Operation>& operations) {
        for (const Operation& operation : operations) {
            std::visit([this](const auto& op) { record(op); }, operation.op);
        }
    }

    ByteWriter& out() { return out_; }

  private:
    // Writes the header, then the body, then the size that came out.
    template <typename Body>
    void framed(std::uint32_t type, const Body& body) {
        const std::size_t start = out_.size();
        out_.write(type);
        out_.write(std::uint32_t{0});
        body();
        out_.patch(start + 4, checked_u32(out_.size() - start, "the size of an operation"));
    }

    void record(const MemoryCopy& copy) {
        framed(format::kCopy, [&] {
            out_.write(copy.dst_region);
            out_.write(copy.src_region);
            out_.write(copy.dst_offset);
            out_.write(copy.src_offset);
            out_.write(copy.size);
        });
    }

    void record(const MemoryUpload& upload) {
        framed(format::kUpload, [&] {
            out_.write(upload.dst_region);
            out_.zeros(4);
            out_.write(upload.dst_offset);
            out_.write(static_cast<std::uint64_t>(upload.data.size()));
            out_.write_bytes(upload.data);
        });
    }

    void record(const MemorySet& set) {
        framed(format::kMemset, [&] {
            out_.write(set.region);
            out_.write(set.value);
            out_.write(set.offset);
            out_.write(set.size);
        });
    }

    void record(const MemoryTile& tile) {
        framed(format::kTile, [&] {
            out_.write(tile.region);
            out_.write(checked_u32(tile.value.size(), "the value of a tile"));
            out_.write(tile.offset);
            out_.write(tile.count);
            out_.write_bytes(tile.value);
        });
    }

    void record(const OpaqueOp& op) { out_.write_bytes(op.record); }

    void record(const Conditional& conditional) {
        framed(conditional.loop ? format::kWhile : format::kIf, [&] {
            out_.write(conditional.region);
            out_.zeros(4);
            out_.write(conditional.offset);
            const std::size_t sizes = out_.size();
            out_.zeros(16);
            branch(conditional.branch_a, sizes);
            branch(conditional.branch_b, sizes + 8);
        });
    }

    void branch(const std::vector<Operation>& operations, std::size_t sizes_at) {
        const std::size_t start = out_.size();
        write(operations);
        out_.patch(sizes_at, checked_u32(out_.size() - start, "the size of a branch"));
        out_.patch(sizes_at + 4, checked_u32(operations.size(), "the length of a branch"));
    }

    void record(const Launch& launch) {
        framed(format::kLaunch, [&] {
            std::vector<const Argument*> arguments;
            for (const Argument& argument : launch.arguments) arguments.push_back(&argument);
            for (const Argument& argument : launch.adjoints) arguments.push_back(&argument);
            launch_fixed(launch);
            const std::size_t counts_at = out_.size();
            out_.zeros(8);  // relocations, value bytes
            out_.write_text(launch.kernel_key);
            out_.write_text(launch.module_hash);
            const std::size_t value_bytes = binding_table(arguments);
            out_.patch(counts_at, checked_u32(relocation_table(arguments), "the number of relocations"));
            out_.patch(counts_at + 4, checked_u32(value_bytes, "the size of the arguments"));
            values(arguments);
        });
    }

    void launch_fixed(const Launch& launch) {
        for (std::uint32_t extent : launch.shape) out_.write(extent);
        out_.write(launch.ndim);
        out_.write(launch.size);
        out_.write(launch.dim);
        out_.write(launch.max_blocks);
        out_.write(launch.block_dim);
        out_.write(launch.smem_bytes);
        out_.write(launch.grid_stride);
        out_.write(static_cast<std::uint8_t>(launch.forward));
        out_.write(launch.cluster_dim);
        out_.zeros(2);
        out_.write(checked_u16(launch.kernel_key.size(), "the length of a kernel key"));
        out_.write(checked_u16(launch.module_hash.size(), "the length of a module hash"));
        out_.write(checked_u16(launch.arguments.size(), "the number of arguments"));
        out_.zeros(2);
    }

    static std::size_t aligned(std::size_t position, const Argument& argument) {
        return (position + argument.align - 1) / argument.align * argument.align;
    }

    std::size_t binding_table(const std::vector<const Argument*>& arguments) {
        std::size_t position = 0;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const Argument& argument = *arguments[i];
            position = aligned(position, argument);
            out_.write(checked_u16(i + 1, "the index of an argument"));
            out_.write(checked_u16(argument.relocations.size(), "the number of pointers in an argument"));
            out_.write(checked_u32(position, "the size of the arguments"));
            out_.write(checked_u32(argument.value.size(), "the size of an argument"));
            out_.write(argument.align);
            position += argument.value.size();
        }
        return position;
    }

    std::size_t relocation_table(const std::vector<const Argument*>& arguments) {
        std::size_t count = 0;
        for (const Argument* argument : arguments) {
            for (const Relocation& relocation : argument->relocations) {
                out_.write(relocation.value_offset);
                out_.write(relocation.region);
                out_.write(relocation.region_offset);
                out_.write(static_cast<std::uint8_t>(relocation.kind));
                out_.zeros(7);
                ++count;
            }
        }
        return count;
    }

    void values(const std::vector<const Argument*>& arguments) {
        std::size_t position = 0;
        for (const Argument* argument : arguments) {
            const std::size_t start = aligned(position, *argument);
            out_.zeros(start - position);
            Bytes value = argument->value;
            for (const Relocation& relocation : argument->relocations) {
                std::memset(value.data() + relocation.value_offset, 0, 8);
            }
            out_.write_bytes(value);
            position = start + value.size();
        }
    }

    ByteWriter out_;
};

Bytes write_operations(const Capture& capture) {
    StreamWriter stream;
    stream.out().write(checked_u32(capture.operations.size(), "the number of operations"));
    stream.write(capture.operations);
    return stream.out().release();
}

bool has_extension(const Capture& capture) {
    return !capture.whitecap_producer.empty() || !capture.alternatives.empty() || capture.input_count != capture.bindings.size();
}

}  // namespace

Bytes write_capture(const Capture& capture) {
    validate(capture);
    for (const Module& module : capture.modules) {
        if (is_plain_filename(module.binary_filename)) continue;
        fail(WC_ERROR_STATE, "save: module ", quoted(module.name), " has no binary file yet (file name ",
             quoted(module.binary_filename), "); name one with with_modules first");
    }
    std::vector<std::pair<std::uint32_t, Bytes>> sections;
    sections.emplace_back(format::kMetadata, write_metadata(capture));
    sections.emplace_back(format::kMemory, write_memory(capture));
    sections.emplace_back(format::kOperations, write_operations(capture));
    if (has_extension(capture)) sections.emplace_back(format::kExtension, write_extension(capture));

    ByteWriter out;
    out.write(format::kMagic);
    out.write(format::kVersion);
    out.write(std::uint32_t{0});
    out.write(static_cast<std::uint32_t>(sections.size()));
    out.write(std::uint64_t{format::kHeaderSize});
    out.write(static_cast<std::uint8_t>(capture.device));
    out.zeros(3);
    out.write(capture.target_arch);
    out.zeros(32);
    std::uint64_t offset = format::kHeaderSize + sections.size() * format::kSectionEntrySize;
    for (const auto& [type, bytes] : sections) {
        out.write(type);
        out.write(std::uint32_t{0});
        out.write(offset);
        out.write(static_cast<std::uint64_t>(bytes.size()));
        out.write(static_cast<std::uint64_t>(bytes.size()));
        offset += bytes.size();
    }
    for (const auto& section : sections) out.write_bytes(section.second);
    return out.release();
}

}  // namespace whitecap
