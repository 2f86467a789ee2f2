// What every Program asks of a capture before it prepares anything.
#pragma once

#include "capture.hpp"

namespace whitecap {

// Throws WC_ERROR_UNSUPPORTED, naming the operation or record that no program runs yet: opaque operations
// (other than alloc, which asks for nothing), meshes, object handles.
void require_runnable(const Capture& capture, DeviceType device);

}  // namespace whitecap
