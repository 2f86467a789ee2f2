// A capture prepared for the CPU.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cpu_launch.hpp"
#include "cpu_module.hpp"
#include "cpu_row_chain.hpp"
#include "host_memory.hpp"
#include "program.hpp"

namespace whitecap {

class CpuProgram : public Program {
  public:
    CpuProgram(std::shared_ptr<const Capture> capture, const ModuleSource& modules,
               const CpuOptions& options);

    DeviceType device() const override { return DeviceType::cpu; }
    std::uint64_t memory_bytes() const override;
    void* region_pointer(std::uint32_t region) const override;
    void set_parameter(const std::string& name, const void* data, std::size_t size) override;
    void get_parameter(const std::string& name, void* data, std::size_t size) override;
    void launch(void* stream = nullptr) override;
    void synchronize() override {}

    // Gives a kernel the caller's own code, before the first launch or between launches.
    void set_kernel(const std::string& module_hash, const std::string& key, const CpuEntries& entries);

  private:
    struct Branches;
    struct CopyStep {
        void* dst;
        const void* src;
        std::size_t size;
    };
    struct FillStep {
        std::byte* dst;
        const std::byte* value;  // lives in the capture
        std::size_t value_size, count;
    };
    struct SetStep {
        void* dst;
        int value;
        std::size_t size;
    };
    using Step = std::variant<CpuLaunch, CopyStep, FillStep, SetStep, std::unique_ptr<CpuRowChain>,
                              std::unique_ptr<Branches>>;
    struct Branches {
        const std::byte* condition;
        bool loop;
        std::vector<Step> a, b;
    };
    using KernelId = std::pair<std::string, std::string>;  // module hash, key

    void allocate_regions();
    void load_kernels(const ModuleSource& modules, bool defer);
    std::vector<Step> prepare(const std::vector<Operation>& operations);
    std::size_t prepare_launches(const std::vector<Operation>& operations, std::size_t first,
                                 std::vector<Step>& steps);
    CpuLaunch prepare_launch(const Launch& launch);
    std::byte* address(std::int64_t region, std::uint64_t offset) const;
    std::pair<void*, std::size_t> parameter(const std::string& name, std::size_t size) const;
    void require_kernels();
    void run(const std::vector<Step>& steps, ThreadPool::Session& session);
    void run_branches(const Branches& branches, ThreadPool::Session& session);

    int threads_;
    bool row_chains_;
    std::vector<HostMemory> owned_;
    std::map<std::uint32_t, std::byte*> regions_;
    std::vector<std::shared_ptr<CpuModule>> modules_;
    std::map<KernelId, CpuEntries> kernels_;
    std::map<KernelId, std::string> missing_;  // why a kernel has no code
    std::uint64_t largest_job_ = 0;
    std::vector<Step> steps_;
};

}  // namespace whitecap
