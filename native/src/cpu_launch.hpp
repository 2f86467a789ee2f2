// One kernel launch on the CPU, prepared once: entries looked up, bounds and arguments packed, pointers
// filled in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "launch_abi.hpp"
#include "thread_pool.hpp"

namespace whitecap {

struct CpuEntries {
    using Forward = void (*)(const void* bounds, const void* arguments);
    using Range = void (*)(const void* bounds, const void* arguments, std::uint64_t begin, std::uint64_t end);
    using Backward = void (*)(const void* bounds, const void* arguments, const void* adjoints);

    Forward forward = nullptr;
    Range range = nullptr;  // linear thread indices [begin, end); null: only the whole launch on one thread
    Backward backward = nullptr;
    const int* rows = nullptr;  // how rows are used (cpu_row_chain.hpp), where the module says so
};

// Fixed storage at the alignment that vector code may want.
class AlignedBytes {
  public:
    AlignedBytes() = default;
    explicit AlignedBytes(std::size_t size);
    std::byte* data() const { return data_.get(); }

  private:
    struct Free {
        void operator()(std::byte* data) const;
    };
    std::unique_ptr<std::byte, Free> data_;
};

class CpuLaunch {
  public:
    // `address(relocation)` gives what stands in a pointer slot.
    template <typename Address>
    CpuLaunch(const Launch& launch, const CpuEntries& entries, const Address& address)
        : bounds_(pack_bounds(launch)),
          size_(launch.size),
          unit_(splitting_unit(launch)),
          backward_(!launch.forward) {
        set_entries(entries);
        arguments_ = pack(launch.arguments, address);
        if (backward_) adjoints_ = pack(launch.adjoints, address);
    }

    void set_entries(const CpuEntries& entries) { entries_ = entries; }
    const CpuEntries& entries() const { return entries_; }
    bool ready() const {
        return backward_ ? entries_.backward != nullptr : entries_.forward || entries_.range;
    }
    // Threads of the part that can be split; 0 when the whole launch runs on one thread.
    std::uint64_t splittable() const { return entries_.range != nullptr && !backward_ ? size_ : 0; }

    // Threads [begin, end) on the calling thread.
    void run_part(std::uint64_t begin, std::uint64_t end) const {
        entries_.range(bounds_.bytes, arguments_.data(), begin, end);
    }

    void run(ThreadPool::Session& session) const {
        if (splittable() > 0) {
            session.run(size_, unit_, &CpuLaunch::run_range, this);
        } else if (backward_) {
            entries_.backward(bounds_.bytes, arguments_.data(), adjoints_.data());
        } else if (size_ > 0) {
            entries_.forward(bounds_.bytes, arguments_.data());
        }
    }

  private:
    // Whole rows of the last dimension; for one row or few long ones, a run of a few cache lines.
    static std::uint64_t splitting_unit(const Launch& launch);

    static void run_range(const void* context, std::uint64_t begin, std::uint64_t end) {
        static_cast<const CpuLaunch*>(context)->run_part(begin, end);
    }

    template <typename Address>
    static AlignedBytes pack(const std::vector<Argument>& arguments, const Address& address) {
        std::vector<std::size_t> starts;
        const Bytes packed = pack_arguments(arguments, starts);
        AlignedBytes result = copy_of(packed);
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            for (const Relocation& relocation : arguments[i].relocations) {
                put_pointer(result.data() + starts[i] + relocation.value_offset, address(relocation));
            }
        }
        return result;
    }

    static AlignedBytes copy_of(const Bytes& bytes);
    static void put_pointer(std::byte* slot, const void* pointer);

    CpuEntries entries_;
    LaunchBounds bounds_;
    AlignedBytes arguments_, adjoints_;
    std::uint64_t size_, unit_;
    bool backward_;
};

}  // namespace whitecap
