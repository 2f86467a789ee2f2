// Chains of launches: when they are one, and in which order their rows run.
#include "cpu_row_chain.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cpu_topology.hpp"

namespace whitecap {
namespace {

constexpr int kTableVersion = 1;
constexpr int kNoArray = 0, kRows = 1, kAnywhere = 2;
constexpr int kLargestReach = 64;
constexpr std::uint64_t kSmallestBlock = 4, kLargestBlock = 32;

}  // namespace

// ---- When launches are a chain
// ------------------------------------------------------------------------------

bool RowChainRules::accept(const Launch& launch, const CpuEntries& entries) {
    const int* table = entries.rows;
    const bool shaped = launch.forward && launch.ndim == 2 && launch.size > 0 &&
                        launch.size == std::uint64_t{launch.shape[0]} * launch.shape[1];
    if (!shaped || table == nullptr || entries.range == nullptr) return false;
    if (table[0] != kTableVersion || table[1] < 0 || table[1] > kLargestReach) return false;
    if (table[2] != static_cast<int>(launch.arguments.size())) return false;
    if (rows_ != 0 && (launch.shape[0] != rows_ || launch.shape[1] != columns_)) return false;

    const RowChainRules before = *this;
    rows_ = launch.shape[0];
    columns_ = launch.shape[1];
    reach_ = std::max(reach_, static_cast<std::uint64_t>(std::max(table[1], 1)));
    bool allowed = true;
    for (std::size_t i = 0; allowed && i < launch.arguments.size(); ++i) {
        const Argument& argument = launch.arguments[i];
        switch (table[3 + i]) {
            case kNoArray:
                allowed = argument.relocations.empty();
                break;
            case kRows:
                allowed = accept_rows(argument);
                break;
            case kAnywhere:
                accept_anywhere(argument);
                break;
            default:
                allowed = false;
        }
    }
    if (allowed && consistent()) return true;
    *this = before;
    return false;
}

bool RowChainRules::accept_rows(const Argument& argument) {
    ArrayAbi array;
    const auto& relocations = argument.relocations;
    if (argument.value.size() != sizeof array || relocations.size() != 2) return false;
    if (relocations[0].value_offset != 0 || relocations[1].kind != RelocationKind::null) return false;
    if (relocations[0].kind != RelocationKind::data_pointer)
        return relocations[0].kind == RelocationKind::null;
    std::memcpy(&array, argument.value.data(), sizeof array);
    const bool written = argument.access != Access::read;
    if (written && array.strides[0] == 0) return false;  // all rows are one
    const View view{relocations[0].region_offset, array.strides[0], array.strides[1], written};
    const auto [known, added] = views_.emplace(relocations[0].region, view);
    if (added) return true;
    known->second.written = known->second.written || written;
    return known->second.same_place(view);
}

void RowChainRules::accept_anywhere(const Argument& argument) {
    for (const Relocation& relocation : argument.relocations) {
        if (relocation.kind == RelocationKind::data_pointer) read_anywhere_.insert(relocation.region);
    }
}

bool RowChainRules::consistent() const {
    return std::none_of(read_anywhere_.begin(), read_anywhere_.end(), [this](std::int32_t region) {
        const auto view = views_.find(region);
        return view != views_.end() && view->second.written;
    });
}

std::uint64_t RowChainRules::row_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& [region, view] : views_)
        bytes += static_cast<std::uint64_t>(std::abs(std::int64_t{view.row_stride}));
    return bytes;
}

// ---- In which order their rows run
// --------------------------------------------------------------------------

CpuRowChain::CpuRowChain(std::vector<CpuLaunch> launches, const RowChainRules& rules)
    : launches_(std::move(launches)), rows_(rules.rows()), columns_(rules.columns()), reach_(rules.reach()) {
    // The block and the skew of a group stay in the near caches; a little beyond the second level still pays.
    const std::uint64_t cached =
        std::max<std::uint64_t>(2 * second_level_cache() / std::max<std::uint64_t>(rules.row_bytes(), 1), 1);
    block_ = std::clamp(cached / 8, kSmallestBlock, kLargestBlock);
    const std::uint64_t skew = cached > block_ ? cached - block_ : 0;
    const std::size_t most = static_cast<std::size_t>(std::max<std::uint64_t>(skew / reach_, 4));
    const std::size_t parts = (launches_.size() + most - 1) / most;
    for (std::size_t i = 0; i < parts; ++i) {
        groups_.push_back({launches_.size() * i / parts, launches_.size() * (i + 1) / parts});
    }
}

void CpuRowChain::run(ThreadPool::Session& session) const {
    for (const Group& group : groups_) run_group(group, session);
}

void CpuRowChain::run_group(const Group& group, ThreadPool::Session& session) const {
    const std::uint64_t length = group.last - group.first;
    const std::uint64_t narrowest = (2 * length + 1) * reach_ + block_;  // a band that leaves wedges apart
    const std::uint64_t most = std::max<std::uint64_t>(rows_ / narrowest, 1);
    const Pass pass{this, group, std::min(most, static_cast<std::uint64_t>(session.threads()))};
    const auto each = [](const void* context, std::uint64_t begin, std::uint64_t end) {
        const Pass& shared = *static_cast<const Pass*>(context);
        for (std::uint64_t band = begin; band < end; ++band) shared.chain->run_band(shared, band);
    };
    const auto between = [](const void* context, std::uint64_t begin, std::uint64_t end) {
        const Pass& shared = *static_cast<const Pass*>(context);
        for (std::uint64_t border = begin; border < end; ++border)
            shared.chain->run_wedge(shared, border + 1);
    };
    session.run_each(pass.bands, each, &pass);
    if (pass.bands > 1) session.run_each(pass.bands - 1, between, &pass);
}

void CpuRowChain::run_band(const Pass& pass, std::uint64_t band) const {
    const std::uint64_t start = band_start(pass, band), end = band_start(pass, band + 1);
    const bool first = band == 0, last = band + 1 == pass.bands;
    const std::uint64_t length = pass.group.last - pass.group.first, skewed = end + (length - 1) * reach_;
    for (std::uint64_t block = start; block < skewed; block += block_) {
        for (std::uint64_t j = 0; j < length; ++j) {
            const std::uint64_t shift = j * reach_;
            const std::uint64_t low = first ? start : start + shift, high = last ? end : end - shift;
            const std::uint64_t from = block < shift ? 0 : block - shift;
            const std::uint64_t to = block + block_ < shift ? 0 : block + block_ - shift;
            run_rows(pass.group.first + j, std::max(from, low), std::min(to, high));
        }
    }
}

void CpuRowChain::run_wedge(const Pass& pass, std::uint64_t border) const {
    const std::uint64_t row = band_start(pass, border);
    for (std::uint64_t j = 1; j < pass.group.last - pass.group.first; ++j) {
        run_rows(pass.group.first + j, row - j * reach_, row + j * reach_);
    }
}

void CpuRowChain::run_rows(std::size_t launch, std::uint64_t begin, std::uint64_t end) const {
    if (begin < end) launches_[launch].run_part(begin * columns_, end * columns_);
}

}  // namespace whitecap
