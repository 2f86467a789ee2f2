// The container: header, section table, and the order in which its parts are read.
#include "reader.hpp"

#include <optional>

#include "file.hpp"
#include "format.hpp"
#include "validate.hpp"

namespace whitecap {
namespace {

struct SectionEntry {
    std::uint64_t entry_offset = 0;  // of its table entry, for messages
    std::uint64_t offset = 0, size = 0;
};

struct Sections {
    std::optional<SectionEntry> metadata, memory, operations, extension;

    std::optional<SectionEntry>* slot(std::uint32_t type) {
        switch (type) {
            case format::kMetadata:
                return &metadata;
            case format::kMemory:
                return &memory;
            case format::kOperations:
                return &operations;
            case format::kExtension:
                return &extension;
            default:
                return nullptr;  // unknown types are skipped
        }
    }
};

struct Header {
    std::uint32_t num_sections = 0;
    std::uint64_t table_offset = 0;
};

Header read_header(ByteReader file, Capture& capture) {
    if (file.left() < format::kHeaderSize) {
        file.malformed("a `.wrp` file begins with a header of ", format::kHeaderSize, " bytes, this one has ",
                       file.left(), " in all; it was cut short or is something else");
    }
    if (const auto magic = file.read<std::uint32_t>("magic"); magic != format::kMagic) {
        file.fail_at(WC_ERROR_FORMAT, 0, "the file begins with ", Hex{magic},
                     ", not with \"WRP1\"; it is no capture");
    }
    if (const auto version = file.read<std::uint32_t>("version"); version != format::kVersion) {
        file.fail_at(WC_ERROR_VERSION, 4, "format version ", version, ", this library reads version ",
                     format::kVersion, " (Warp ", format::kProducer,
                     "); capture and save the program again with a matching release");
    }
    Header header;
    file.skip(4, "flags");
    header.num_sections = file.read<std::uint32_t>("section count");
    header.table_offset = file.read<std::uint64_t>("section table offset");
    const auto device = file.read<std::uint8_t>("device type");
    file.skip(3, "reserved bytes");
    capture.target_arch = file.read<std::uint32_t>("architecture");

    if (device > 1)
        file.fail_at(WC_ERROR_FORMAT, 24, "device type ", device, ", allowed are 0 (CUDA) and 1 (CPU)");
    capture.device = static_cast<DeviceType>(device);
    if (capture.device == DeviceType::cpu && capture.target_arch != 0) {
        file.fail_at(WC_ERROR_FORMAT, 28, "architecture ", capture.target_arch,
                     " in a CPU file, where it must be 0");
    }
    if (capture.device == DeviceType::cuda &&
        (capture.target_arch == 0 || capture.target_arch > 0x7fffffff)) {
        file.fail_at(WC_ERROR_FORMAT, 28, "architecture ", capture.target_arch,
                     " in a CUDA file; 90 stands for sm_90");
    }
    if (header.num_sections == 0 || header.num_sections > format::kMaxSections) {
        file.fail_at(WC_ERROR_FORMAT, 12, header.num_sections, " sections, allowed are 1 to ",
                     format::kMaxSections);
    }
    return header;
}

Sections read_section_table(const std::byte* data, std::size_t size, const Header& header) {
    const std::uint64_t bytes = std::uint64_t{header.num_sections} * format::kSectionEntrySize;
    if (header.table_offset > size || bytes > size - header.table_offset) {
        fail(WC_ERROR_FORMAT, "header, offset 0x10: the section table (", bytes, " bytes at ",
             Hex{header.table_offset}, ") lies outside the file of ", size,
             " bytes; it was cut short or damaged");
    }
    ByteReader table(data + header.table_offset, static_cast<std::size_t>(bytes), header.table_offset,
                     "section table");
    Sections sections;
    for (std::uint32_t i = 0; i < header.num_sections; ++i) {
        SectionEntry entry{table.file_offset(), 0, 0};
        const auto type = table.read<std::uint32_t>("type");
        table.skip(4, "flags");
        entry.offset = table.read<std::uint64_t>("offset");
        entry.size = table.read<std::uint64_t>("size");
        const auto uncompressed = table.read<std::uint64_t>("uncompressed size");
        if (entry.offset > size || entry.size > size - entry.offset) {
            table.fail_at(WC_ERROR_FORMAT, entry.entry_offset, "section ", i, " (type ", type, ") has ",
                          entry.size, " bytes at ", Hex{entry.offset}, ", outside the file of ", size,
                          " bytes; it was cut short or damaged");
        }
        if (uncompressed != entry.size) {
            table.fail_at(WC_ERROR_FORMAT, entry.entry_offset, "section ", i, " (type ", type,
                          ") has uncompressed size ", uncompressed, ", which must equal its size ",
                          entry.size);
        }
        std::optional<SectionEntry>* slot = sections.slot(type);
        if (slot == nullptr) continue;
        if (slot->has_value()) {
            table.fail_at(WC_ERROR_FORMAT, entry.entry_offset, "section ", i, " repeats type ", type,
                          "; each may occur once");
        }
        *slot = entry;
    }
    return sections;
}

ByteReader open_section(const std::byte* data, const std::optional<SectionEntry>& entry, const char* name) {
    if (!entry)
        fail(WC_ERROR_FORMAT, "section table: there is no ", name, " section; the file is incomplete");
    if (entry->size == 0) {
        fail(WC_ERROR_FORMAT, "section table, offset ", Hex{entry->entry_offset}, ": the ", name,
             " section is empty");
    }
    return {data + entry->offset, static_cast<std::size_t>(entry->size), entry->offset, name};
}

// A name without the suffix, where something else than a capture has that name.
void refuse_other_name(const std::string& path, const std::string& name) {
    if (folder_exists(path)) fail(WC_ERROR_IO, path, ": is a folder; a capture is a .wrp file");
    if (path_exists(path))
        fail(WC_ERROR_IO, path, ": does not end in .wrp, and there is no ", name, "; rename it");
}

}  // namespace

Capture read_capture(const SharedBytes& file, const Limits& limits) {
    const std::size_t size = file.size();
    if (size > limits.file_bytes) {
        fail(WC_ERROR_LIMIT, "the file has ", human_bytes(size), ", more than the limit of ",
             human_bytes(limits.file_bytes));
    }
    const std::byte* const bytes = file.data();
    Capture capture;
    const Header header = read_header({bytes, size, 0, "header"}, capture);
    const Sections sections = read_section_table(bytes, size, header);
    read_metadata(open_section(bytes, sections.metadata, "metadata"), limits, capture);
    read_memory(open_section(bytes, sections.memory, "memory"), limits, capture, file.owner());
    read_operations(open_section(bytes, sections.operations, "operations"), limits, capture);
    if (sections.extension) {
        const auto span = [bytes](const std::optional<SectionEntry>& entry) {
            return ByteSpan{bytes + entry->offset, static_cast<std::size_t>(entry->size)};
        };
        read_extension(open_section(bytes, sections.extension, "extension"), limits, capture,
                       span(sections.metadata), span(sections.operations));
    } else {
        capture.input_count = static_cast<std::uint32_t>(capture.bindings.size());
    }
    validate(capture, limits);
    return capture;
}

Capture read_capture(const void* data, std::size_t size, const Limits& limits) {
    return read_capture(SharedBytes(nullptr, static_cast<const std::byte*>(data), size), limits);
}

Capture read_capture_file(const std::string& path, const Limits& limits) {
    const std::string name = wrp_path(path);
    if (name != path && !path_exists(name)) refuse_other_name(path, name);
    const SharedBytes file = read_shared_file(name, limits.file_bytes);
    try {
        return read_capture(file, limits);
    } catch (const Error& error) {
        throw Error(error.code(), name + ": " + error.what());
    }
}

std::string wrp_path(const std::string& path) {
    const bool complete = path.size() >= 4 && path.compare(path.size() - 4, 4, ".wrp") == 0;
    return complete ? path : path + ".wrp";
}

std::string modules_folder(const std::string& path) {
    const std::string name = wrp_path(path);
    return name.substr(0, name.size() - 4) + "_modules";
}

}  // namespace whitecap
