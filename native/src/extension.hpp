// Writing of our own section; read_extension (reader.hpp) reads it.
#pragma once

#include "capture.hpp"

namespace whitecap {

Bytes write_extension(const Capture& capture);

}  // namespace whitecap
