// Refuses what cannot be replayed, by name.
#include "program_checks.hpp"

#include "format.hpp"
#include "text.hpp"

namespace whitecap {
namespace {

void require_no_handles(const Launch& launch) {
    for (const auto* arguments : {&launch.arguments, &launch.adjoints}) {
        for (const Argument& argument : *arguments) {
            for (const Relocation& relocation : argument.relocations) {
                if (relocation.kind == RelocationKind::handle) {
                    fail(WC_ERROR_UNSUPPORTED, "launch of ", quoted(launch.kernel_key),
                         ": an argument is the handle of a mesh or another object of Warp's, which only Warp "
                         "can make");
                }
            }
        }
    }
}

void check_operations(const std::vector<Operation>& operations, const char* device) {
    for (const Operation& operation : operations) {
        if (const auto* launch = std::get_if<Launch>(&operation.op)) require_no_handles(*launch);
        if (const auto* opaque = std::get_if<OpaqueOp>(&operation.op);
            opaque != nullptr && opaque->type != format::kAlloc) {
            fail(WC_ERROR_UNSUPPORTED, "the capture contains the operation \"", format::op_name(opaque->type),
                 "\" (type ", opaque->type, "), which cannot be replayed on ", device, " yet");
        }
        if (const auto* conditional = std::get_if<Conditional>(&operation.op)) {
            check_operations(conditional->branch_a, device);
            check_operations(conditional->branch_b, device);
        }
    }
}

}  // namespace

void require_runnable(const Capture& capture, DeviceType device) {
    if (!capture.meshes.empty())
        fail(WC_ERROR_UNSUPPORTED, "the capture contains meshes, which only Warp can rebuild");
    check_operations(capture.operations, device == DeviceType::cpu ? "the CPU" : "CUDA");
}

}  // namespace whitecap
