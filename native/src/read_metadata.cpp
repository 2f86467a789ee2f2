// The metadata and memory sections: modules, kernels, bindings, meshes, pointer locations, regions.
#include <algorithm>
#include <set>

#include "format.hpp"
#include "reader.hpp"
#include "sha256.hpp"

namespace whitecap {
namespace {

std::string read_string(ByteReader& section, const char* field) {
    const std::uint64_t start = section.file_offset();
    const auto length = section.read<std::uint32_t>(field);
    const std::string_view characters = section.take_text(length, field);
    if (characters.find('\0') != std::string_view::npos) {
        section.fail_at(WC_ERROR_FORMAT, start, field, " ", quoted(characters), " holds a NUL character");
    }
    if (!is_utf8(characters)) section.fail_at(WC_ERROR_FORMAT, start, field, " is not UTF-8 text");
    return std::string(characters);
}

// A count of records, refused early when the section cannot hold them.
std::uint32_t read_count(ByteReader& section, const char* field, std::uint32_t limit,
                         std::size_t record_size) {
    const std::uint64_t start = section.file_offset();
    const auto count = section.read<std::uint32_t>(field);
    if (std::uint64_t{count} * record_size > section.left()) {
        section.fail_at(WC_ERROR_FORMAT, start, field, " is ", count, ", and the ", section.left(),
                        " bytes that are left cannot hold so many; the file was cut short or damaged");
    }
    if (count > limit) {
        section.fail_at(WC_ERROR_LIMIT, start, field, " is ", count, ", more than the limit of ", limit);
    }
    return count;
}

bool has_suffix(const std::string& name, const char* suffix) {
    const std::string_view end(suffix);
    return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

// Why a CUDA module's artifact fields are not allowed; nullptr when they are.
const char* artifact_fault(const Module& module) {
    const bool zero_recipe =
        std::all_of(module.recipe.begin(), module.recipe.end(), [](std::uint8_t b) { return b == 0; });
    if (module.binary_digest.empty()) {
        const bool binary_only = module.source_filename.empty() && module.source_digest.empty() &&
                                 module.binary_kind == 0 && module.fallback_reason == 1 && zero_recipe;
        return binary_only
                   ? nullptr
                   : "without a binary digest it must have no source, kind 0, reason 1 and a zero recipe";
    }
    if (!is_sha256_hex(module.binary_digest)) return "its binary digest is not 64 lowercase hex digits";
    if (module.binary_kind != 1 && module.binary_kind != 2)
        return "with a digest its binary kind must be 1 (PTX) or 2 (CUBIN)";
    if (!has_suffix(module.binary_filename, module.binary_kind == 1 ? ".ptx" : ".cubin")) {
        return "its file name does not end as its binary kind asks (.ptx or .cubin)";
    }
    if (module.fallback_reason > 6) return "its fallback reason is above 6";
    if (module.source_filename.empty() != module.source_digest.empty())
        return "source name and digest come together or not at all";
    if (!module.source_filename.empty()) {
        if (!is_plain_filename(module.source_filename)) return "its source file name is not a plain one";
        if (!has_suffix(module.source_filename, ".cu")) return "its source file name does not end in .cu";
        if (!is_sha256_hex(module.source_digest)) return "its source digest is not 64 lowercase hex digits";
    }
    if (module.fallback_reason == 0 && module.source_filename.empty())
        return "fallback reason 0 needs a source file";
    const auto& recipe = module.recipe;
    const bool flags = recipe[0] <= 1 && recipe[2] <= 1 && recipe[3] <= 1 && recipe[4] <= 1 && recipe[5] <= 1;
    if (!flags || recipe[1] > 3 || recipe[6] > 2)
        return "its compile recipe holds a value that is not allowed";
    if (std::any_of(recipe.begin() + 7, recipe.end(), [](std::uint8_t b) { return b != 0; })) {
        return "reserved bytes of its compile recipe are not zero";
    }
    if (recipe[6] == 1 && module.arch < 90) return "architecture suffix \"a\" needs sm_90 or later";
    if (recipe[6] == 2 && module.arch < 100) return "architecture suffix \"f\" needs sm_100 or later";
    return nullptr;
}

Module read_module(ByteReader& section, DeviceType device) {
    const std::uint64_t start = section.file_offset();
    Module module;
    module.hash = read_string(section, "module hash");
    module.name = read_string(section, "module name");
    module.binary_filename = read_string(section, "module file name");
    module.arch = section.read<std::uint32_t>("module architecture");
    module.binary_digest = read_string(section, "binary digest");
    module.source_filename = read_string(section, "source file name");
    module.source_digest = read_string(section, "source digest");
    module.binary_kind = section.read<std::uint8_t>("binary kind");
    module.fallback_reason = section.read<std::uint8_t>("fallback reason");
    std::memcpy(module.recipe.data(), section.take(module.recipe.size(), "compile recipe"),
                module.recipe.size());

    const auto refuse = [&](const char* why) {
        section.fail_at(WC_ERROR_FORMAT, start, "module ", quoted(module.name), ": ", why);
    };
    if (module.hash.empty()) refuse("its hash is empty");
    if (!is_plain_filename(module.binary_filename)) {
        section.fail_at(WC_ERROR_FORMAT, start, "module ", quoted(module.name), ": file name ",
                        quoted(module.binary_filename),
                        " must be a plain name inside the modules folder, without / \\ or :");
    }
    if (device == DeviceType::cpu && module.arch != 0) refuse("it has a CUDA architecture in a CPU file");
    if (device == DeviceType::cuda && module.arch == 0) refuse("it has no architecture in a CUDA file");
    if (device == DeviceType::cuda) {
        if (const char* fault = artifact_fault(module)) refuse(fault);
    }
    return module;
}

Kernel read_kernel(ByteReader& section) {
    Kernel kernel;
    kernel.key = read_string(section, "kernel key");
    kernel.module_hash = read_string(section, "module hash of a kernel");
    kernel.forward_name = read_string(section, "forward symbol");
    kernel.backward_name = read_string(section, "backward symbol");
    kernel.forward_smem = section.read<std::uint32_t>("forward shared memory");
    kernel.backward_smem = section.read<std::uint32_t>("backward shared memory");
    kernel.block_dim = section.read<std::uint32_t>("block size");
    return kernel;
}

Mesh read_mesh(ByteReader& section) {
    Mesh mesh;
    mesh.num_points = section.read<std::int32_t>("mesh point count");
    mesh.num_tris = section.read<std::int32_t>("mesh triangle count");
    mesh.winding_number = section.read<std::uint8_t>("mesh winding number flag");
    mesh.bvh_constructor = section.read<std::uint8_t>("mesh BVH constructor");
    mesh.leaf_size = section.read<std::uint16_t>("mesh leaf size");
    mesh.points_region = section.read<std::uint32_t>("mesh points region");
    mesh.indices_region = section.read<std::uint32_t>("mesh indices region");
    mesh.velocities_region = section.read<std::uint32_t>("mesh velocities region");
    mesh.handle = section.read<std::uint64_t>("mesh handle");
    return mesh;
}

PointerLocation read_pointer_location(ByteReader& section) {
    PointerLocation location;
    location.region = section.read<std::uint32_t>("pointer location region");
    location.offset = section.read<std::uint64_t>("pointer location offset");
    location.stride = section.read<std::uint64_t>("pointer location stride");
    location.count = section.read<std::uint64_t>("pointer location count");
    return location;
}

}  // namespace

bool is_plain_filename(const std::string& name) noexcept {
    return !name.empty() && name != "." && name != ".." && name.find_first_of("/\\:") == std::string::npos;
}

void read_metadata(ByteReader section, const Limits& limits, Capture& capture) {
    constexpr std::size_t kModuleMin = 46, kKernelMin = 28, kBindingMin = 8;  // with empty strings
    const std::uint64_t start = section.file_offset();
    if (const auto version = section.read<std::uint32_t>("metadata version"); version != format::kVersion) {
        section.fail_at(WC_ERROR_VERSION, start, "metadata version ", version,
                        ", this library reads version ", format::kVersion);
    }
    capture.producer = read_string(section, "producer");
    if (capture.producer != format::kProducer) {
        section.fail_at(
            WC_ERROR_VERSION, start + 4, "the file is for Warp ", quoted(capture.producer),
            ", this library reads files for \"", format::kProducer,
            "\", whose launch ABI it knows; capture and save the program again with that release");
    }
    const std::uint64_t arch_offset = section.file_offset();
    if (const auto arch = section.read<std::uint32_t>("architecture"); arch != capture.target_arch) {
        section.fail_at(WC_ERROR_FORMAT, arch_offset, "architecture ", arch, " differs from the header's ",
                        capture.target_arch);
    }
    const auto modules = read_count(section, "module count", limits.modules, kModuleMin);
    const auto kernels = read_count(section, "kernel count", limits.records, kKernelMin);
    const auto bindings = read_count(section, "binding count", limits.records, kBindingMin);
    const auto meshes = read_count(section, "mesh count", limits.records, format::kMeshRecordSize);
    const auto locations =
        read_count(section, "pointer location count", limits.records, format::kPointerLocationSize);

    std::set<std::string> hashes;
    for (std::uint32_t i = 0; i < modules; ++i) {
        const std::uint64_t offset = section.file_offset();
        capture.modules.push_back(read_module(section, capture.device));
        if (!hashes.insert(capture.modules.back().hash).second) {
            section.fail_at(WC_ERROR_FORMAT, offset, "module hash ", quoted(capture.modules.back().hash),
                            " occurs twice");
        }
    }
    std::set<std::pair<std::string, std::string>> keys;
    for (std::uint32_t i = 0; i < kernels; ++i) {
        const std::uint64_t offset = section.file_offset();
        capture.kernels.push_back(read_kernel(section));
        const Kernel& kernel = capture.kernels.back();
        if (!keys.emplace(kernel.module_hash, kernel.key).second) {
            section.fail_at(WC_ERROR_FORMAT, offset, "kernel ", quoted(kernel.key),
                            " occurs twice in its module");
        }
    }
    for (std::uint32_t i = 0; i < bindings; ++i) {
        Binding binding;
        binding.name = read_string(section, "binding name");
        binding.region = section.read<std::uint32_t>("binding region");
        capture.bindings.push_back(std::move(binding));
    }
    for (std::uint32_t i = 0; i < meshes; ++i) capture.meshes.push_back(read_mesh(section));
    for (std::uint32_t i = 0; i < locations; ++i)
        capture.pointer_locations.push_back(read_pointer_location(section));
    if (section.left() != 0) section.malformed(section.left(), " bytes follow the last record; nothing may");
}

void read_memory(ByteReader section, const Limits& limits, Capture& capture,
                 const std::shared_ptr<const void>& owner) {
    const auto count = read_count(section, "region count", limits.records, format::kRegionRecordSize);
    std::uint64_t total = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint64_t start = section.file_offset();
        Region region;
        region.id = section.read<std::uint32_t>("region id");
        region.element_size = section.read<std::uint32_t>("element size");
        region.size = section.read<std::uint64_t>("region size");
        const auto flag = section.read<std::uint8_t>("region data flag");
        section.skip(7, "region padding");
        if (flag > 1)
            section.fail_at(WC_ERROR_FORMAT, start + 16, "region ", region.id, ": data flag ", flag,
                            ", allowed are 0 and 1");
        if (region.size > limits.memory_bytes - total) {
            section.fail_at(WC_ERROR_LIMIT, start + 8, "region ", region.id, " of ", human_bytes(region.size),
                            " takes all regions over the limit of ", human_bytes(limits.memory_bytes));
        }
        total += region.size;
        region.has_data = flag == 1;
        if (region.has_data) {
            const std::byte* data = section.take(region.size, "the data of a region");
            const auto size = static_cast<std::size_t>(region.size);
            region.data = owner ? SharedBytes(owner, data, size) : SharedBytes(data, size);
        }
        capture.regions.push_back(std::move(region));
    }
    if (section.left() != 0)
        section.malformed(section.left(), " bytes follow the last region; the file is damaged");

    const auto by_id = [](const Region& a, const Region& b) { return a.id < b.id; };
    std::sort(capture.regions.begin(), capture.regions.end(), by_id);
    const auto same_id = [](const Region& a, const Region& b) { return a.id == b.id; };
    const auto twin = std::adjacent_find(capture.regions.begin(), capture.regions.end(), same_id);
    if (twin != capture.regions.end()) section.malformed("region id ", twin->id, " occurs twice");
}

}  // namespace whitecap
