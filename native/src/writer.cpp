// The container around the three sections that Warp knows, and our own as the fourth.
#include "writer.hpp"

#include <algorithm>
#include <tuple>

#include "bytes.hpp"
#include "cuda_memory.hpp"
#include "extension.hpp"
#include "format.hpp"
#include "reader.hpp"
#include "validate.hpp"

namespace whitecap {
namespace {

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
    for (std::size_t count : {capture.modules.size(), capture.kernels.size(), capture.bindings.size(),
                              capture.meshes.size(), capture.pointer_locations.size()}) {
        out.write(fits<std::uint32_t>(count, "a number of records"));
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

// A live capture's memory may lie on a GPU.
void copy_external(const Region& region, std::byte* out) {
    if (region.size == 0 || read_device_memory(region.external, region.size, out)) return;
    std::memcpy(out, region.external, static_cast<std::size_t>(region.size));
}

bool has_data(const Region& region) {
    return region.has_data || region.external != nullptr;
}

std::size_t memory_size(const Capture& capture) {
    std::size_t size = sizeof(std::uint32_t);
    for (const Region& region : capture.regions)
        size += format::kRegionRecordSize + (has_data(region) ? static_cast<std::size_t>(region.size) : 0);
    return size;
}

void write_memory(ByteWriter& out, const Capture& capture) {
    out.write(fits<std::uint32_t>(capture.regions.size(), "the number of regions"));
    const bool live_on_gpu = uses_device_memory_of_caller(capture);
    for (const Region& region : capture.regions) {
        out.write(region.id);
        out.write(region.element_size);
        out.write(region.size);
        out.write(static_cast<std::uint8_t>(has_data(region)));
        out.zeros(7);
        if (!has_data(region)) continue;
        const auto size = static_cast<std::size_t>(region.size);
        if (region.external != nullptr && live_on_gpu) {
            copy_external(region, out.extend(size));
        } else {
            out.write_bytes(region.external != nullptr ? region.external : region.data.data(), size);
        }
    }
}

bool has_extension(const Capture& capture) {
    return !capture.whitecap_producer.empty() || !capture.alternatives.empty() ||
           capture.input_count != capture.bindings.size();
}

}  // namespace

Bytes write_capture(const Capture& capture) {
    validate(capture);
    for (const Module& module : capture.modules) {
        if (is_plain_filename(module.binary_filename)) continue;
        fail(WC_ERROR_STATE, "save: module ", quoted(module.name), " has no binary file yet (file name ",
             quoted(module.binary_filename), "); name one with with_modules first");
    }
    const Bytes metadata = write_metadata(capture), operations = write_operations(capture.operations);
    const std::size_t memory = memory_size(capture);
    Bytes extension;
    std::vector<std::pair<std::uint32_t, std::size_t>> sections = {{format::kMetadata, metadata.size()},
                                                                   {format::kMemory, memory},
                                                                   {format::kOperations, operations.size()}};
    if (has_extension(capture)) {
        extension = write_extension(capture, {metadata.data(), metadata.size()},
                                    {operations.data(), operations.size()});
        sections.emplace_back(format::kExtension, extension.size());
    }

    std::uint64_t offset = format::kHeaderSize + sections.size() * format::kSectionEntrySize;
    ByteWriter out;
    out.reserve(offset + metadata.size() + memory + operations.size() + extension.size());
    out.write(format::kMagic);
    out.write(format::kVersion);
    out.write(std::uint32_t{0});
    out.write(static_cast<std::uint32_t>(sections.size()));
    out.write(std::uint64_t{format::kHeaderSize});
    out.write(static_cast<std::uint8_t>(capture.device));
    out.zeros(3);
    out.write(capture.target_arch);
    out.zeros(32);
    for (const auto& [type, size] : sections) {
        out.write(type);
        out.write(std::uint32_t{0});
        out.write(offset);
        out.write(std::uint64_t{size});
        out.write(std::uint64_t{size});
        offset += size;
    }
    out.write_bytes(metadata);
    write_memory(out, capture);
    out.write_bytes(operations);
    out.write_bytes(extension);
    return out.release();
}

}  // namespace whitecap
