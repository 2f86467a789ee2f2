// Our own section of a `.wrp` file, which other readers skip: who wrote it, which bindings are inputs, module
// binaries for other targets, and what each launch does with the memory behind its arguments.
//
// Layout: u32 extension version; string producer; u32 input count; u32 count, then per alternative four
// strings (module hash, target, file name, digest); u32 count, then one byte per launch argument in stream
// order (branch A before B); string digest of the program, which tells damage from intent: SHA-256 of the
// metadata section, the region records without their data, and the operations section, or empty.
#include "extension.hpp"

#include "format.hpp"
#include "reader.hpp"
#include "sha256.hpp"

namespace whitecap {
namespace {

constexpr std::uint32_t kExtensionVersion = 1;

// SHA-256 of everything that makes the program, the contents of its regions aside. `extension`: what precedes
// the digest.
std::string program_digest(const Capture& capture, ByteSpan metadata, ByteSpan operations,
                           ByteSpan extension) {
    ByteWriter program;
    program.write_bytes(metadata.data, metadata.size);
    for (const Region& region : capture.regions) {
        program.write(region.id);
        program.write(region.element_size);
        program.write(region.size);
        program.write(static_cast<std::uint8_t>(region.has_data || region.external != nullptr));
    }
    program.write_bytes(operations.data, operations.size);
    program.write_bytes(extension.data, extension.size);
    return sha256_hex(program.bytes().data(), program.size());
}

template <typename Operations, typename Visit>
void for_each_argument(Operations& operations, const Visit& visit) {
    for (auto& operation : operations) {
        if (auto* launch = std::get_if<Launch>(&operation.op)) {
            for (auto& argument : launch->arguments) visit(argument);
        } else if (auto* conditional = std::get_if<Conditional>(&operation.op)) {
            for_each_argument(conditional->branch_a, visit);
            for_each_argument(conditional->branch_b, visit);
        }
    }
}

std::string read_text(ByteReader& section, const char* field) {
    const std::uint64_t start = section.file_offset();
    const std::string_view characters = section.take_text(section.read<std::uint32_t>(field), field);
    if (!is_utf8(characters) || characters.find('\0') != std::string_view::npos) {
        section.fail_at(WC_ERROR_FORMAT, start, field, " is not a text");
    }
    return std::string(characters);
}

}  // namespace

void read_extension(ByteReader section, const Limits& limits, Capture& capture, ByteSpan metadata,
                    ByteSpan operations) {
    const std::byte* const bytes = section.current();
    const std::uint64_t start = section.file_offset();
    const auto version = section.read<std::uint32_t>("extension version");
    if (version == 0) section.fail_at(WC_ERROR_FORMAT, start, "extension version 0; versions count from 1");
    if (version > kExtensionVersion) {  // by a later release: the other sections are the whole program
        capture.input_count = static_cast<std::uint32_t>(capture.bindings.size());
        return;
    }
    capture.whitecap_producer = read_text(section, "producer");
    const std::uint64_t count_offset = section.file_offset();
    capture.input_count = section.read<std::uint32_t>("input count");
    if (capture.input_count > capture.bindings.size()) {
        section.fail_at(WC_ERROR_FORMAT, count_offset, capture.input_count, " inputs among ",
                        capture.bindings.size(), " bindings");
    }
    const auto alternatives = section.read<std::uint32_t>("alternative count");
    if (std::uint64_t{alternatives} * 16 > section.left()) {
        section.malformed("the count of ", alternatives,
                          " module alternatives is more than the section can hold");
    }
    if (alternatives > limits.records) {
        section.fail_at(WC_ERROR_LIMIT, section.file_offset(), alternatives,
                        " module alternatives, more than the limit of ", limits.records);
    }
    for (std::uint32_t i = 0; i < alternatives; ++i) {
        ModuleAlternative alternative;
        alternative.module_hash = read_text(section, "module hash of an alternative");
        alternative.target = read_text(section, "target of an alternative");
        alternative.filename = read_text(section, "file name of an alternative");
        alternative.digest = read_text(section, "digest of an alternative");
        capture.alternatives.push_back(std::move(alternative));
    }
    const std::uint64_t flags_offset = section.file_offset();
    const auto flags = section.read<std::uint32_t>("access flag count");
    std::uint64_t arguments = 0;
    for_each_argument(capture.operations, [&](const Argument&) { ++arguments; });
    if (flags != arguments) {
        section.fail_at(WC_ERROR_FORMAT, flags_offset, flags, " access flags for ", arguments,
                        " launch arguments");
    }
    for_each_argument(capture.operations, [&](Argument& argument) {
        const std::uint64_t offset = section.file_offset();
        const auto access = section.read<std::uint8_t>("access flag");
        if (access > 3)
            section.fail_at(WC_ERROR_FORMAT, offset, "access flag ", access, ", allowed are 0 to 3");
        argument.access = static_cast<Access>(access);
    });
    const ByteSpan before_digest{bytes, section.position()};
    const std::string digest = read_text(section, "digest of the program");
    if (section.left() != 0) section.malformed(section.left(), " bytes follow the digest; nothing may");
    if (!digest.empty() && digest != program_digest(capture, metadata, operations, before_digest)) {
        section.malformed(
            "the program is not the one that was saved (its SHA-256 differs); the file is damaged");
    }
}

Bytes write_extension(const Capture& capture, ByteSpan metadata, ByteSpan operations) {
    ByteWriter out;
    out.write(kExtensionVersion);
    out.string(capture.whitecap_producer);
    out.write(capture.input_count);
    out.write(static_cast<std::uint32_t>(capture.alternatives.size()));
    for (const ModuleAlternative& alternative : capture.alternatives) {
        out.string(alternative.module_hash);
        out.string(alternative.target);
        out.string(alternative.filename);
        out.string(alternative.digest);
    }
    const std::size_t count_at = out.size();
    out.write(std::uint32_t{0});
    std::uint32_t count = 0;
    for_each_argument(capture.operations, [&](const Argument& argument) {
        out.write(static_cast<std::uint8_t>(argument.access));
        ++count;
    });
    out.patch(count_at, count);
    out.string(program_digest(capture, metadata, operations, {out.bytes().data(), out.size()}));
    return out.release();
}

}  // namespace whitecap
