// The data model of a captured program: what a `.wrp` file holds, decoded, and what the recorder fills in.
//
// A Capture is plain data. The reader, the recorder and `retarget` make one; the validator checks it; the
// writer encodes it; a Program (program.hpp) runs it. Nothing here touches a device.
//
// Limits: records keep every field of format v18 that means something; reserved bytes are dropped. Operation
// kinds that no Program executes yet stay as `OpaqueOp`: checked, kept byte for byte and written back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "shared_bytes.hpp"

namespace whitecap {

enum class DeviceType : std::uint8_t { cuda = 0, cpu = 1 };

// What a launch does with the memory behind an argument. `unknown` counts as both.
enum class Access : std::uint8_t { unknown = 0, read = 1, write = 2, read_write = 3 };

enum class RelocationKind : std::uint8_t { data_pointer = 1, handle = 2, null = 3 };

constexpr std::int32_t kNoRegion = -1;

// Eight bytes of an argument's value that are replaced by an address when the launch is prepared.
struct Relocation {
    std::uint32_t value_offset = 0;   // inside the argument's value
    std::int32_t region = kNoRegion;  // data_pointer only
    std::uint64_t region_offset = 0;  // data_pointer: bytes; handle: the captured handle
    RelocationKind kind = RelocationKind::null;
};

struct Argument {
    Bytes value;  // the byte image of the argument; pointer slots are zero
    std::uint32_t align = 8;
    std::vector<Relocation> relocations;
    Access access = Access::unknown;  // not in the Warp sections: travels in the extension section
};

struct Launch {
    std::string kernel_key;
    std::string module_hash;
    std::array<std::uint32_t, 4> shape{};  // first `ndim` used; the last dimension is the fastest
    std::int32_t ndim = 1;
    std::uint64_t size = 0;  // total threads
    std::uint64_t dim = 0;   // total threads for the CUDA grid
    std::int32_t max_blocks = 0;
    std::int32_t block_dim = 0;
    std::int32_t smem_bytes = 0;
    std::int32_t grid_stride = 0;
    bool forward = true;
    std::uint8_t cluster_dim = 1;
    std::vector<Argument> arguments;
    std::vector<Argument> adjoints;  // backward launches only; as many as arguments
};

struct MemoryCopy {  // op 4
    std::int32_t dst_region = kNoRegion, src_region = kNoRegion;
    std::uint64_t dst_offset = 0, src_offset = 0, size = 0;
};

struct MemoryUpload {  // op 2: bytes kept in the record
    std::int32_t dst_region = kNoRegion;
    std::uint64_t dst_offset = 0;
    Bytes data;
};

struct MemorySet {  // op 5
    std::int32_t region = kNoRegion;
    std::int32_t value = 0;  // low byte used
    std::uint64_t offset = 0, size = 0;
};

struct MemoryTile {  // op 10: `count` back-to-back copies of `value`
    std::int32_t region = kNoRegion;
    std::uint64_t offset = 0, count = 0;
    Bytes value;
};

struct OpaqueOp {  // any other kind: the whole record, header included
    std::uint32_t type = 0;
    Bytes record;
};

struct Operation;

struct Conditional {    // ops 7 (IF) and 8 (WHILE)
    bool loop = false;  // true: WHILE, only branch_a used
    std::int32_t region = kNoRegion;
    std::uint64_t offset = 0;  // of the i32 condition
    std::vector<Operation> branch_a, branch_b;
};

struct Operation {
    std::variant<Launch, MemoryCopy, MemoryUpload, MemorySet, MemoryTile, Conditional, OpaqueOp> op;
};

struct Region {
    std::uint32_t id = 0;
    std::uint32_t element_size = 1;
    std::uint64_t size = 0;  // bytes
    bool has_data = false;
    SharedBytes data;  // `size` bytes when has_data
    std::byte* external =
        nullptr;  // live captures: memory that the caller owns and that replays work on in place
};

struct Module {
    std::string hash, name, binary_filename;
    std::uint32_t arch = 0;                                     // CUDA: 10*major+minor; CPU: 0
    std::string binary_digest, source_filename, source_digest;  // SHA-256, lowercase hex, or empty
    std::uint8_t binary_kind = 0;                               // 0 none, 1 PTX, 2 CUBIN
    std::uint8_t fallback_reason = 1;                           // 1: source unavailable
    std::array<std::uint8_t, 16> recipe{};
};

// Another binary of a module, for another device or architecture (extension section).
struct ModuleAlternative {
    std::string module_hash;
    std::string target;  // "sm_90", "ptx_80", "x86_64_v3", "aarch64" ...
    std::string filename;
    std::string digest;  // SHA-256, lowercase hex
};

struct Kernel {
    std::string key, module_hash, forward_name, backward_name;
    std::uint32_t forward_smem = 0, backward_smem = 0, block_dim = 1;
};

struct Binding {
    std::string name;
    std::uint32_t region = 0;
};

struct Mesh {
    std::int32_t num_points = 0, num_tris = 0;
    std::uint8_t winding_number = 0, bvh_constructor = 0;
    std::uint16_t leaf_size = 1;
    std::uint32_t points_region = 0, indices_region = 0, velocities_region = 0;
    std::uint64_t handle = 0;
};

struct PointerLocation {
    std::uint32_t region = 0;
    std::uint64_t offset = 0, stride = 0, count = 0;
};

struct Capture {
    DeviceType device = DeviceType::cpu;
    std::uint32_t target_arch = 0;
    std::string producer;           // Warp's field: the release whose reader the file is for
    std::string whitecap_producer;  // extension section: "whitecap 0.1.0", or empty
    std::vector<Module> modules;
    std::vector<ModuleAlternative> alternatives;
    std::vector<Kernel> kernels;
    std::vector<Binding> bindings;  // inputs first, then outputs
    std::uint32_t input_count = 0;  // how many bindings are inputs (extension section; else all of them)
    std::vector<Mesh> meshes;
    std::vector<PointerLocation> pointer_locations;
    std::vector<Region> regions;  // sorted by id
    std::vector<Operation> operations;
};

// Number of launches, branches included once each.
std::size_t launch_count(const std::vector<Operation>& operations);

// nullptr when there is none.
const Region* find_region(const Capture& capture, std::int64_t id);
// Of two bindings with one name, which Warp allows, the later one.
const Binding* find_binding(const Capture& capture, const std::string& name);
// For messages: "heights, params", or "no parameters".
std::string list_bindings(const Capture& capture);
const Kernel* find_kernel(const Capture& capture, const std::string& module_hash, const std::string& key);

// The same program for another device: device byte, architecture, kernel symbols and launch shapes follow;
// modules and alternatives are left for the caller to set. Throws WC_ERROR_UNSUPPORTED for symbols that don't
// follow the naming rule.
Capture retarget(const Capture& capture, DeviceType device, std::uint32_t arch);

// "<base>_cpu_forward" <-> "<base>_cuda_kernel_forward" (format notes 4.7).
std::string symbol_for(const std::string& symbol, DeviceType device);

}  // namespace whitecap
