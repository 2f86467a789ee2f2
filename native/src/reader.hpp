// Reads `.wrp` bytes into a Capture. The input is treated as hostile.
//
// Model: container (header, section table) -> metadata, memory, operations, extension -> validate(). Every
// count, size and offset is checked against what is left before anything is allocated, so memory stays within
// a small multiple of the file's own size, plus the regions, whose total is limited. Errors name the part of
// the file, the offset and the field.
//
// Limits: version 18 and the producer "1.19.0" only, like the Warp release whose files these are. Stricter
// than Warp where Warp checks nothing: left-over bytes, texts that are no UTF-8 or hold NUL, references to
// things that don't exist.
#pragma once

#include <memory>
#include <string>

#include "bytes.hpp"
#include "capture.hpp"
#include "limits.hpp"

namespace whitecap {

// Throws Error. The result is valid. It keeps nothing of `data`.
Capture read_capture(const void* data, std::size_t size, const Limits& limits = {});

// The same; the regions of the result share the owner of `file`.
Capture read_capture(const SharedBytes& file, const Limits& limits = {});

// The same from a file; messages begin with its name. `path` as given to a person: see wrp_path.
Capture read_capture_file(const std::string& path, const Limits& limits = {});

// `path`, with ".wrp" added when it does not end in it.
std::string wrp_path(const std::string& path);

// The folder beside the file that holds its module binaries: "<stem>_modules".
std::string modules_folder(const std::string& path);

// Parts of the reader, one file each.
void read_metadata(ByteReader section, const Limits& limits, Capture& capture);
// The regions share `owner`, which keeps the section's bytes, or copy them when there is none.
void read_memory(ByteReader section, const Limits& limits, Capture& capture,
                 const std::shared_ptr<const void>& owner);
void read_operations(ByteReader section, const Limits& limits, Capture& capture);
// After the others; `metadata`, `operations`: those sections, for the digest.
void read_extension(ByteReader section, const Limits& limits, Capture& capture, ByteSpan metadata,
                    ByteSpan operations);

// Throws when `record` (header included) breaks a rule of an operation that is kept byte for byte.
void check_opaque_operation(std::uint32_t type, ByteReader record);

// A name without a way out of its folder.
bool is_plain_filename(const std::string& name) noexcept;

}  // namespace whitecap
