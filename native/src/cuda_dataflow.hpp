// Which operations must wait for which: from the memory each one reads and writes to the edges of a graph.
//
// Spans are addresses, so two regions that share memory are seen as such. An operation whose accesses are not
// known waits for everything before it and everything after waits for it. Pure arithmetic: no driver call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "capture.hpp"

namespace whitecap {

struct Span {
    std::uint64_t begin = 0, end = 0;
    bool write = false;
};

// Nothing: the accesses are not known.
using Touched = std::optional<std::vector<Span>>;

// Address and size of a region.
struct Placed {
    std::uint64_t address = 0, size = 0;
};
using PlaceOf = std::function<Placed(std::int32_t region)>;

Touched touched_memory(const Operation& operation, const PlaceOf& place_of);

// Takes operations in order of recording and names the earlier ones that each must wait for.
class Dataflow {
  public:
    // Indices of earlier operations (0 is the first one added), without those that another of them waits for
    // already.
    std::vector<std::size_t> add(const Touched& touched);

    // Operations that nothing waits for yet.
    std::vector<std::size_t> leaves() const;

  private:
    struct Entry {
        Span span;
        std::size_t operation;
    };
    std::vector<Entry> entries_;
    std::vector<std::vector<std::size_t>> predecessors_;
    std::vector<bool> awaited_;
    std::optional<std::size_t> barrier_;
};

}  // namespace whitecap
