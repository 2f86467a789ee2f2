// The operation stream: kernels exist, shapes make sense, and every byte that an operation names lies inside
// its region. What a kernel does with its pointers cannot be checked; arrays that reach past their region
// can.
#include <algorithm>
#include <map>

#include "format.hpp"
#include "launch_abi.hpp"
#include "opaque_operation.hpp"
#include "text.hpp"
#include "validate.hpp"

namespace whitecap {
namespace {

using u64 = std::uint64_t;

template <typename... Parts>
[[noreturn]] void invalid(const Parts&... parts) {
    fail(WC_ERROR_FORMAT, parts...);
}

class StreamValidator {
  public:
    StreamValidator(const Capture& capture, const Limits& limits) : capture_(capture), limits_(limits) {
        for (const Kernel& kernel : capture.kernels) {
            kernels_.emplace(std::make_pair(kernel.module_hash, kernel.key), &kernel);
        }
    }

    void check_operations(const std::vector<Operation>& operations, int depth) {
        if (depth > limits_.nesting)
            fail(WC_ERROR_LIMIT, "conditionals are nested deeper than the limit of ", limits_.nesting);
        for (const Operation& operation : operations) {
            if (++operations_ > limits_.operations)
                fail(WC_ERROR_LIMIT, "more than ", limits_.operations, " operations");
            where_ = text("operation ", operations_);
            if (const auto* conditional = std::get_if<Conditional>(&operation.op)) {
                require_span(capture_, part("condition"), conditional->region, conditional->offset, 4);
                if (conditional->loop && !conditional->branch_b.empty())
                    invalid(where_, ": while has a second branch");
                check_operations(conditional->branch_a, depth + 1);
                check_operations(conditional->branch_b, depth + 1);
            } else {
                std::visit([this](const auto& op) { check(op); }, operation.op);
            }
        }
    }

  private:
    void check(const Conditional&) {}

    void check(const MemoryCopy& copy) const {
        require_span(capture_, part("copy destination"), copy.dst_region, copy.dst_offset, copy.size);
        require_span(capture_, part("copy source"), copy.src_region, copy.src_offset, copy.size);
        const u64 distance =
            std::max(copy.dst_offset, copy.src_offset) - std::min(copy.dst_offset, copy.src_offset);
        if (copy.dst_region == copy.src_region && distance != 0 && distance < copy.size) {
            invalid(where_, ", copy: source and destination overlap in region ", copy.dst_region,
                    ", so the result is undefined");
        }
    }

    void check(const MemoryUpload& upload) const {
        require_span(capture_, part("upload destination"), upload.dst_region, upload.dst_offset,
                     upload.data.size());
    }

    void check(const MemorySet& set) const {
        require_span(capture_, part("memset destination"), set.region, set.offset, set.size);
    }

    void check(const MemoryTile& tile) const {
        if (tile.value.empty()) invalid(where_, ", tile: it has no value");
        if (tile.count > ~u64{0} / tile.value.size()) invalid(where_, ", tile: its size overflows 64 bits");
        require_span(capture_, part("tile destination"), tile.region, tile.offset,
                     tile.count * tile.value.size());
    }

    void check(const OpaqueOp& op) const {
        for (const RegionSpan& span :
             opaque_spans(op.type, {op.record.data(), op.record.size(), 0, "operation"})) {
            require_span(capture_, part(format::op_name(op.type)), span.region, span.offset, span.size);
        }
    }

    void check(const Launch& launch) {
        where_ += text(", launch of ", quoted(launch.kernel_key));
        const auto found = kernels_.find({launch.module_hash, launch.kernel_key});
        if (found == kernels_.end())
            invalid(where_, ": module ", quoted(launch.module_hash), " has no such kernel");
        const Kernel& kernel = *found->second;
        if ((launch.forward ? kernel.forward_name : kernel.backward_name).empty()) {
            invalid(where_, ": the kernel has no ", launch.forward ? "forward" : "backward", " symbol");
        }
        check_shape(launch);
        const bool pairs =
            launch.forward ? launch.adjoints.empty() : launch.adjoints.size() == launch.arguments.size();
        if (!pairs)
            invalid(where_, ": ", launch.adjoints.size(), " adjoints for ", launch.arguments.size(),
                    " arguments");
        for (std::size_t i = 0; i < launch.arguments.size(); ++i) check_argument(launch.arguments[i], i + 1);
        for (std::size_t i = 0; i < launch.adjoints.size(); ++i)
            check_argument(launch.adjoints[i], launch.arguments.size() + i + 1);
        check_signature(launch, kernel);
    }

    void check_shape(const Launch& launch) const {
        if (launch.ndim < 1 || launch.ndim > 4)
            invalid(where_, ": rank ", launch.ndim, ", allowed are 1 to 4");
        if (launch.size > limits_.threads)
            fail(WC_ERROR_LIMIT, where_, ": ", launch.size, " threads, more than the limit of ",
                 limits_.threads);
        if (launch.dim != launch.size)
            invalid(where_, ": grid size ", launch.dim, " differs from the size ", launch.size);
        bool overflow = false;
        const u64 product = shape_product(launch, overflow);
        if (overflow) invalid(where_, ": the product of its shape overflows 64 bits");
        const bool whole =
            product == 0 ? launch.size == 0 : launch.size <= product || launch.size % product == 0;
        if (!whole)
            invalid(where_, ": size ", launch.size, " is no multiple of its shape's ", product, " threads");
        const bool block = launch.block_dim >= 0 && launch.block_dim <= 1024 && launch.max_blocks >= 0;
        const bool grid = launch.grid_stride == 0 || launch.grid_stride == 1;
        if (!block || !grid)
            invalid(where_, ": block size ", launch.block_dim, ", block cap ", launch.max_blocks,
                    ", grid kind ", launch.grid_stride);
        if (launch.smem_bytes < 0 || launch.smem_bytes > (1 << 20))
            invalid(where_, ": ", launch.smem_bytes, " bytes of shared memory");
        if (launch.cluster_dim < 1 || launch.cluster_dim > 16)
            invalid(where_, ": cluster size ", launch.cluster_dim, ", allowed are 1 to 16");
    }

    void check_argument(const Argument& argument, std::size_t number) const {
        const std::string who = text(where_, ", argument ", number);
        if (argument.align == 0 || argument.align > 256 || (argument.align & (argument.align - 1)) != 0) {
            invalid(who, ": alignment ", argument.align, " is no power of two up to 256");
        }
        std::vector<std::uint32_t> slots;
        for (const Relocation& relocation : argument.relocations) {
            if (u64{relocation.value_offset} + 8 > argument.value.size()) {
                invalid(who, ": a pointer at byte ", relocation.value_offset, " of a value of ",
                        argument.value.size(), " bytes");
            }
            slots.push_back(relocation.value_offset);
            if (relocation.kind != RelocationKind::data_pointer) continue;
            const Region* region = find_region(capture_, relocation.region);
            if (region == nullptr) invalid(who, ": region ", relocation.region, " does not exist");
            if (relocation.region_offset > region->size) {
                invalid(who, ": offset ", relocation.region_offset, " lies past region ", region->id, " of ",
                        region->size, " bytes");
            }
        }
        std::sort(slots.begin(), slots.end());
        for (std::size_t i = 1; i < slots.size(); ++i) {
            if (slots[i] - slots[i - 1] < 8) invalid(who, ": two pointers overlap at byte ", slots[i]);
        }
        check_array(argument, who);
    }

    // An argument that is exactly one array: its elements must lie inside the region that its data pointer
    // names.
    void check_array(const Argument& argument, const std::string& who) const {
        const auto& relocations = argument.relocations;
        if (argument.value.size() != sizeof(ArrayAbi) || relocations.size() != 2) return;
        if (relocations[0].value_offset != 0 || relocations[1].value_offset != 8) return;
        ArrayAbi array;
        std::memcpy(&array, argument.value.data(), sizeof array);
        if (array.ndim > 4) invalid(who, ": an array of rank ", array.ndim, ", allowed are 0 to 4");
        for (int d = 0; d < array.ndim; ++d) {
            if (array.shape[d] < 0) invalid(who, ": an array of negative extent ", array.shape[d]);
            if (array.shape[d] == 0) return;
        }
        for (const Relocation& relocation : relocations) {
            if (relocation.kind != RelocationKind::data_pointer || array.ndim == 0) continue;
            check_reach(array, relocation, who);
        }
    }

    void check_reach(const ArrayAbi& array, const Relocation& relocation, const std::string& who) const {
        const Region& region = *find_region(capture_, relocation.region);
        u64 before = 0,
            after = 0;  // how far elements lie from the pointer; each step is below 2^62, each sum below 2^38
        for (int d = 0; d < array.ndim; ++d) {
            const std::int64_t reach = std::int64_t{array.shape[d] - 1} * array.strides[d];
            (reach < 0 ? before : after) += static_cast<u64>(reach < 0 ? -reach : reach);
            if (before > relocation.region_offset || after >= region.size - relocation.region_offset) {
                invalid(who, ": the array reaches outside region ", region.id, " of ", region.size, " bytes");
            }
        }
    }

    // All launches of a kernel pass values of the same sizes and alignments.
    void check_signature(const Launch& launch, const Kernel& kernel) {
        const auto [known, first] = signatures_.emplace(&kernel, &launch);
        if (first || known->second->forward != launch.forward) return;
        const auto& expected = known->second->arguments;
        const auto same = [](const Argument& a, const Argument& b) {
            return a.value.size() == b.value.size() && a.align == b.align;
        };
        if (!std::equal(expected.begin(), expected.end(), launch.arguments.begin(), launch.arguments.end(),
                        same)) {
            invalid(where_,
                    ": its arguments differ in number, size or alignment from an earlier launch of the same "
                    "kernel");
        }
    }

    // "operation 3, copy source", for messages.
    std::string part(const char* name) const { return text(where_, ", ", name); }

    const Capture& capture_;
    const Limits& limits_;
    std::map<std::pair<std::string, std::string>, const Kernel*> kernels_;
    std::map<const Kernel*, const Launch*> signatures_;
    std::uint32_t operations_ = 0;
    std::string where_;
};

}  // namespace

void validate_operations(const Capture& capture, const Limits& limits) {
    StreamValidator(capture, limits).check_operations(capture.operations, 0);
}

}  // namespace whitecap
