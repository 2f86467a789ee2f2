// Writing of our own section; read_extension (reader.hpp) reads it.
#pragma once

#include "bytes.hpp"
#include "capture.hpp"

namespace whitecap {

// `metadata`, `operations`: those sections as they are in the file, for the digest.
Bytes write_extension(const Capture& capture, ByteSpan metadata, ByteSpan operations);

}  // namespace whitecap
