#include "cuda_dataflow.hpp"

#include <algorithm>
#include <cstring>

namespace whitecap {

namespace {

// Above this the search would cost more than parallel branches give; the next operation joins everything.
constexpr std::size_t kMostEntries = 4096;
constexpr std::uint32_t kAllocOp = 6;
constexpr std::size_t kArraySize =
    56;  // array_t: data, grad, shape i32[4] @16, strides i32[4] @32, ndim u16 @48

// Bytes that an array argument reaches from its data pointer; nothing when the strides don't say.
std::optional<std::uint64_t> array_extent(const Bytes& value) {
    std::int32_t shape[4], strides[4];
    std::uint16_t ndim = 0;
    std::memcpy(shape, value.data() + 16, sizeof shape);
    std::memcpy(strides, value.data() + 32, sizeof strides);
    std::memcpy(&ndim, value.data() + 48, sizeof ndim);
    if (ndim < 1 || ndim > 4) return std::nullopt;
    std::uint64_t last = 0, element = UINT64_MAX;
    for (int d = 0; d < ndim; ++d) {
        if (strides[d] <= 0 || shape[d] < 0) return std::nullopt;
        if (shape[d] == 0) return 0;
        last += std::uint64_t(shape[d] - 1) * std::uint64_t(strides[d]);
        element = std::min(element, std::uint64_t(strides[d]));  // an element is never larger than a step
    }
    return last + element;
}

bool add_argument(const Argument& argument, const PlaceOf& place_of, std::vector<Span>& spans) {
    for (const Relocation& relocation : argument.relocations) {
        if (relocation.kind == RelocationKind::null) continue;
        if (relocation.kind != RelocationKind::data_pointer || argument.access == Access::unknown)
            return false;
        const Placed region = place_of(relocation.region);
        std::uint64_t begin = region.address + relocation.region_offset, end = region.address + region.size;
        if (argument.value.size() == kArraySize && relocation.value_offset == 0) {
            const auto extent = array_extent(argument.value);
            if (extent && *extent <= end - begin) end = begin + *extent;
        }
        if (argument.access != Access::write) spans.push_back({begin, end, false});
        if (argument.access != Access::read) spans.push_back({begin, end, true});
    }
    return true;
}

Span span_of(const PlaceOf& place_of, std::int32_t region, std::uint64_t offset, std::uint64_t size,
             bool write) {
    const std::uint64_t begin = place_of(region).address + offset;
    return {begin, begin + size, write};
}

struct Collector {
    const PlaceOf& place_of;
    std::vector<Span> spans;

    bool operator()(const Launch& launch) {
        const auto add = [&](const Argument& argument) { return add_argument(argument, place_of, spans); };
        return std::all_of(launch.arguments.begin(), launch.arguments.end(), add) &&
               std::all_of(launch.adjoints.begin(), launch.adjoints.end(), add);
    }
    bool operator()(const MemoryCopy& copy) {
        spans.push_back(span_of(place_of, copy.src_region, copy.src_offset, copy.size, false));
        spans.push_back(span_of(place_of, copy.dst_region, copy.dst_offset, copy.size, true));
        return true;
    }
    bool operator()(const MemoryUpload& upload) {
        spans.push_back(span_of(place_of, upload.dst_region, upload.dst_offset, upload.data.size(), true));
        return true;
    }
    bool operator()(const MemorySet& set) {
        spans.push_back(span_of(place_of, set.region, set.offset, set.size, true));
        return true;
    }
    bool operator()(const MemoryTile& tile) {
        spans.push_back(span_of(place_of, tile.region, tile.offset, tile.count * tile.value.size(), true));
        return true;
    }
    bool operator()(const Conditional& conditional) {
        spans.push_back(span_of(place_of, conditional.region, conditional.offset, 4, false));
        const auto collect = [&](const Operation& operation) { return std::visit(*this, operation.op); };
        return std::all_of(conditional.branch_a.begin(), conditional.branch_a.end(), collect) &&
               std::all_of(conditional.branch_b.begin(), conditional.branch_b.end(), collect);
    }
    bool operator()(const OpaqueOp& opaque) { return opaque.type == kAllocOp; }  // which replays as nothing
};

bool conflict(const Span& a, const Span& b) {
    return (a.write || b.write) && a.begin < b.end && b.begin < a.end;
}

}  // namespace

Touched touched_memory(const Operation& operation, const PlaceOf& place_of) {
    Collector collector{place_of, {}};
    if (!std::visit(collector, operation.op)) return std::nullopt;
    return std::move(collector.spans);
}

std::vector<std::size_t> Dataflow::add(const Touched& touched) {
    const std::size_t self = predecessors_.size();
    std::vector<std::size_t> found;
    if (touched && entries_.size() < kMostEntries) {
        for (const Span& span : *touched) {
            for (const Entry& entry : entries_) {
                if (conflict(span, entry.span)) found.push_back(entry.operation);
            }
            // What a write covers is ordered through this operation from now on.
            const auto covered = [&](const Entry& entry) {
                return span.write && span.begin <= entry.span.begin && entry.span.end <= span.end;
            };
            entries_.erase(std::remove_if(entries_.begin(), entries_.end(), covered), entries_.end());
        }
        for (const Span& span : *touched) entries_.push_back({span, self});
        if (found.empty() && barrier_) found.push_back(*barrier_);
    } else {
        found = leaves();
        entries_.clear();
        barrier_ = self;
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    const auto implied = [&](std::size_t candidate) {
        return std::any_of(found.begin(), found.end(), [&](std::size_t other) {
            const auto& before = predecessors_[other];
            return std::find(before.begin(), before.end(), candidate) != before.end();
        });
    };
    std::vector<std::size_t> kept;
    std::copy_if(found.begin(), found.end(), std::back_inserter(kept),
                 [&](std::size_t c) { return !implied(c); });
    for (const std::size_t predecessor : kept) awaited_[predecessor] = true;
    predecessors_.push_back(kept);
    awaited_.push_back(false);
    return kept;
}

std::vector<std::size_t> Dataflow::leaves() const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < awaited_.size(); ++i) {
        if (!awaited_[i]) result.push_back(i);
    }
    return result;
}

}  // namespace whitecap
