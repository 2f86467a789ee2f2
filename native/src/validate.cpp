// Regions, modules, kernels, bindings, meshes: what one record says about another is true.
#include "validate.hpp"

#include <set>

#include "reader.hpp"
#include "sha256.hpp"
#include "text.hpp"

namespace whitecap {
namespace {

using u64 = std::uint64_t;

template <typename... Parts>
[[noreturn]] void invalid(const Parts&... parts) {
    fail(WC_ERROR_FORMAT, parts...);
}

class RecordValidator {
  public:
    RecordValidator(const Capture& capture, const Limits& limits) : capture_(capture), limits_(limits) {}

    void run() {
        check_regions();
        check_modules();
        check_bindings();
        check_meshes();
        check_pointer_locations();
    }

  private:
    void check_regions() const {
        u64 total = 0;
        for (std::size_t i = 0; i < capture_.regions.size(); ++i) {
            const Region& region = capture_.regions[i];
            if (i > 0 && capture_.regions[i - 1].id >= region.id)
                invalid("region ", region.id, ": ids must be unique and ascending");
            if (region.has_data && region.external == nullptr && region.data.size() != region.size) {
                invalid("region ", region.id, ": ", region.data.size(), " bytes of data for a size of ",
                        region.size);
            }
            if (region.size > limits_.memory_bytes - total) {
                fail(WC_ERROR_LIMIT, "region ", region.id, " of ", human_bytes(region.size),
                     " takes all regions over the limit of ", human_bytes(limits_.memory_bytes));
            }
            total += region.size;
        }
    }

    void check_modules() const {
        std::set<std::string> hashes;
        for (const Module& module : capture_.modules) {
            if (module.hash.empty()) invalid("module ", quoted(module.name), ": its hash is empty");
            if (!hashes.insert(module.hash).second)
                invalid("module hash ", quoted(module.hash), " occurs twice");
        }
        std::set<std::pair<std::string, std::string>> keys;
        for (const Kernel& kernel : capture_.kernels) {
            if (hashes.count(kernel.module_hash) == 0) {
                invalid("kernel ", quoted(kernel.key), ": its module ", quoted(kernel.module_hash),
                        " does not exist");
            }
            if (kernel.block_dim > 1024)
                invalid("kernel ", quoted(kernel.key), ": block size ", kernel.block_dim, " is above 1024");
            if (!keys.emplace(kernel.module_hash, kernel.key).second) {
                invalid("kernel ", quoted(kernel.key), " occurs twice in its module");
            }
        }
        std::set<std::pair<std::string, std::string>> targets;
        for (const ModuleAlternative& alternative : capture_.alternatives) {
            const std::string who = text("alternative ", quoted(alternative.filename), ": ");
            if (hashes.count(alternative.module_hash) == 0)
                invalid(who, "its module ", quoted(alternative.module_hash), " does not exist");
            if (alternative.target.empty()) invalid(who, "it names no target");
            if (!is_plain_filename(alternative.filename))
                invalid(who, "the file name must be a plain one, without / \\ or :");
            if (!alternative.digest.empty() && !is_sha256_hex(alternative.digest))
                invalid(who, "its digest is not 64 lowercase hex digits");
            if (!targets.emplace(alternative.module_hash, alternative.target).second) {
                invalid(who, "target ", quoted(alternative.target), " occurs twice for its module");
            }
        }
    }

    void check_bindings() const {
        if (capture_.input_count > capture_.bindings.size()) {
            invalid(capture_.input_count, " inputs among ", capture_.bindings.size(), " bindings");
        }
        for (const Binding& binding : capture_.bindings) {
            if (binding.name.empty()) invalid("a binding of region ", binding.region, " has no name");
            if (find_region(capture_, binding.region) == nullptr) {
                invalid("binding ", quoted(binding.name), ": region ", binding.region, " does not exist");
            }
        }
    }

    void check_meshes() const {
        for (const Mesh& mesh : capture_.meshes) {
            const auto check = [&](const char* part, std::uint32_t region, std::int32_t count) {
                if (count < 0) invalid("mesh: ", count, " ", part);
                require_span(capture_, text("mesh ", part), region, 0, u64{12} * static_cast<u64>(count));
            };
            check("points", mesh.points_region, mesh.num_points);
            check("indices", mesh.indices_region, mesh.num_tris);
            if (mesh.velocities_region != 0) check("velocities", mesh.velocities_region, mesh.num_points);
        }
    }

    void check_pointer_locations() const {
        for (const PointerLocation& location : capture_.pointer_locations) {
            if (location.count == 0) continue;
            if (location.stride == 0 && location.count > 1)
                invalid("pointer location: stride 0 with ", location.count, " handles");
            if (location.stride != 0 && location.count - 1 > (~u64{0} - 8) / location.stride)
                invalid("pointer location: its last handle overflows 64 bits");
            require_span(capture_, "pointer location", location.region, location.offset,
                         (location.count - 1) * location.stride + 8);
        }
    }

    const Capture& capture_;
    const Limits& limits_;
};

}  // namespace

void require_span(const Capture& capture, const std::string& who, std::int64_t id, std::uint64_t offset,
                  std::uint64_t size) {
    const Region* region = find_region(capture, id);
    if (region == nullptr) invalid(who, ": region ", id, " does not exist");
    if (offset > region->size || size > region->size - offset) {
        invalid(who, ": ", size, " bytes at ", offset, " lie outside region ", region->id, " of ",
                region->size, " bytes");
    }
}

void require_clear_names(const Capture& capture) {
    for (const Binding& binding : capture.bindings) {
        const std::uint32_t region = find_binding(capture, binding.name)->region;
        if (binding.region == region) continue;
        invalid("binding ", quoted(binding.name), " names region ", binding.region, " and region ", region);
    }
}

void validate(const Capture& capture, const Limits& limits) {
    RecordValidator(capture, limits).run();
    validate_operations(capture, limits);
}

}  // namespace whitecap
