// Builds a Capture from calls that name memory by address; nothing executes.
//
// Model: regions are whole allocations, known by base address; every address in a call must lie inside one
// and is stored as region + offset. Operations go to the innermost open branch; `conditional` takes branches
// that ended there. The result has the CPU form; `retarget` makes the CUDA form.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "capture.hpp"

namespace whitecap {

// An argument as the caller has it, with addresses where a recorded one has relocations.
struct LiveArgument {
    struct Pointer {
        std::uint32_t offset = 0;    // in the value
        std::uintptr_t address = 0;  // 0: a null pointer
    };
    Bytes value;
    std::uint32_t align = 8;
    std::vector<Pointer> pointers;
    Access access = Access::unknown;
};

// A launch of the CPU form without arguments. Throws WC_ERROR_ARGUMENT for a shape or size that is not
// allowed.
Launch make_launch(const std::string& kernel_key, const std::vector<std::uint64_t>& shape,
                   std::optional<std::uint64_t> size);

class Recorder {
  public:
    // Id of the region at `base`; the same id when it is known already.
    std::uint32_t region(std::uintptr_t base, std::uint64_t size, std::uint32_t element_size);
    std::optional<std::uint32_t> find_region(std::uintptr_t address) const;

    void module(const std::string& hash, const std::string& name);
    void kernel(const std::string& key, const std::string& module_hash, const std::string& base_symbol);
    void launch(const std::string& key, const std::string& module_hash,
                const std::vector<std::uint64_t>& shape, const std::vector<LiveArgument>& arguments,
                std::optional<std::uint64_t> size = std::nullopt);
    void copy(std::uintptr_t dst, std::uintptr_t src, std::uint64_t size);
    void memset(std::uintptr_t dst, std::int32_t value, std::uint64_t size);
    void tile(std::uintptr_t dst, Bytes value, std::uint64_t count);

    void begin_branch();
    void end_branch();
    void conditional(std::uintptr_t condition, bool loop, std::size_t branches);

    void binding(const std::string& name, std::uintptr_t address, bool output);

    // Validates. Nothing may be recorded afterwards.
    Capture finish();

  private:
    struct Frame {
        std::vector<Operation> operations;
        std::vector<std::vector<Operation>> ended;  // branches that no conditional has taken yet
    };
    struct Place {
        std::int32_t region = kNoRegion;
        std::uint64_t offset = 0;
    };

    void require_open(const char* call) const;
    std::optional<Place> locate(std::uintptr_t address) const;
    Place resolve(const std::string& who, std::uintptr_t address, std::uint64_t size) const;
    Argument resolve_argument(const std::string& who, const LiveArgument& live) const;
    void append(Operation operation) { frames_.back().operations.push_back(std::move(operation)); }

    Capture capture_;
    std::map<std::uintptr_t, std::uint32_t>
        bases_;  // base address -> region id; ids count from 1 in order of regions_
    std::map<std::pair<std::string, std::string>, std::string> kernels_;  // (module, key) -> base symbol
    std::vector<Binding> inputs_, outputs_;
    std::vector<Frame> frames_{1};
    bool finished_ = false;
};

}  // namespace whitecap
