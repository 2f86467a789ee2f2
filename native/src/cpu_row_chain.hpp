// A run of launches over the same rows, replayed rows first: the cache holds a few rows while all launches
// pass over them, instead of every launch streaming whole arrays through it.
//
// Model: launch j of the chain reads rows within `reach` of its own and writes its own row only, so it may
// follow launch j - 1 at a distance of `reach` rows: for each block of rows w, for each j: rows [w - j *
// reach, + block). Several threads take bands of rows, whose upper and lower edges shrink by `reach` a
// launch; when all are done, the wedges that were left between the bands follow. No copies, no redundant
// work, the same bits: every row of every launch is computed once, by the same code, from the same inputs.
//
// Limits: rank-2 launches of one shape whose modules say how rows are used (the table `<base>_cpu_rows`):
// {version 1, reach, number of parameters, then for each parameter 0 no array, 1 rows, 2 read only, at any
// place}. A region is seen through one view in a chain, and one that is read at any place is not written in
// it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "cpu_launch.hpp"

namespace whitecap {

// Collects consecutive launches as long as they are a chain.
class RowChainRules {
  public:
    // Whether the launch may follow those that were accepted before; it counts as accepted then.
    bool accept(const Launch& launch, const CpuEntries& entries);

    std::uint64_t rows() const { return rows_; }
    std::uint64_t columns() const { return columns_; }
    std::uint64_t reach() const { return reach_; }
    std::uint64_t row_bytes() const;  // of all arrays together

  private:
    struct View {
        std::uint64_t offset = 0;
        std::int32_t row_stride = 0, column_stride = 0;
        bool written = false;

        bool same_place(const View& other) const {
            return offset == other.offset && row_stride == other.row_stride &&
                   column_stride == other.column_stride;
        }
    };

    bool accept_rows(const Argument& argument);
    void accept_anywhere(const Argument& argument);
    bool consistent() const;

    std::uint64_t rows_ = 0, columns_ = 0;
    std::uint64_t reach_ = 0;
    std::map<std::int32_t, View> views_;
    std::set<std::int32_t> read_anywhere_;
};

class CpuRowChain {
  public:
    // `rules` have accepted exactly these launches.
    CpuRowChain(std::vector<CpuLaunch> launches, const RowChainRules& rules);

    void run(ThreadPool::Session& session) const;

  private:
    struct Group {  // launches that pass over the rows together
        std::size_t first, last;
    };
    struct Pass {  // of one group, shared by its threads
        const CpuRowChain* chain;
        Group group;
        std::uint64_t bands;
    };

    void run_group(const Group& group, ThreadPool::Session& session) const;
    void run_band(const Pass& pass, std::uint64_t band) const;
    void run_wedge(const Pass& pass, std::uint64_t border) const;
    void run_rows(std::size_t launch, std::uint64_t begin, std::uint64_t end) const;
    std::uint64_t band_start(const Pass& pass, std::uint64_t band) const { return rows_ * band / pass.bands; }

    std::vector<CpuLaunch> launches_;
    std::uint64_t rows_, columns_, reach_, block_;
    std::vector<Group> groups_;
};

}  // namespace whitecap
