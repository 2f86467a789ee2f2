// The operation stream: records, launch arguments, nested branches.
#include "format.hpp"
#include "reader.hpp"

namespace whitecap {
namespace {

class StreamReader {
  public:
    explicit StreamReader(const Limits& limits) : limits_(limits) {}

    std::vector<Operation> read(ByteReader stream, std::uint32_t count, int depth) {
        std::vector<Operation> operations;
        for (std::uint32_t i = 0; i < count; ++i) operations.push_back(read_record(stream, depth));
        if (stream.left() != 0) {
            stream.malformed(stream.left(), " bytes follow the last of ", count,
                             " operations; the file is damaged");
        }
        return operations;
    }

  private:
    Operation read_record(ByteReader& stream, int depth) {
        const std::uint64_t start = stream.file_offset();
        ByteReader header = stream;
        const auto type = header.read<std::uint32_t>("operation type");
        const auto size = header.read<std::uint32_t>("operation size");
        if (size < format::kRecordHeaderSize || size > stream.left()) {
            stream.fail_at(WC_ERROR_FORMAT, start + 4, "the ", format::op_name(type),
                           " operation says it has ", size, " bytes, ", stream.left(),
                           " are left; the file was cut short or damaged");
        }
        if (++operations_ > limits_.operations) {
            stream.fail_at(WC_ERROR_LIMIT, start, "more than ", limits_.operations, " operations");
        }
        ByteReader record = stream.slice(size, "operation");
        switch (type) {
            case format::kLaunch:
                return {read_launch(record)};
            case format::kUpload:
                return {read_upload(record)};
            case format::kCopy:
                return {read_copy(record)};
            case format::kMemset:
                return {read_memset(record)};
            case format::kIf:
            case format::kWhile:
                return {read_conditional(record, type == format::kWhile, depth)};
            case format::kTile:
                return {read_tile(record)};
            case format::kBvhRefit:
            case format::kBvhRebuild:
            case format::kHashGridUpdate:
                stream.fail_at(WC_ERROR_UNSUPPORTED, start, "operation type ", type, " (",
                               format::op_name(type), ") works in a live capture only, never in a file");
            case format::kAlloc:
            case format::kScan:
            case format::kSegmentedSort:
            case format::kRadixSort:
            case format::kRunLengthEncode:
            case format::kBsrFromTriplets:
            case format::kBsrTranspose:
            case format::kReduction:
                check_opaque_operation(type, record);
                return {OpaqueOp{type, Bytes(record.current(), record.current() + record.left())}};
            default:
                stream.fail_at(WC_ERROR_FORMAT, start, "unknown operation type ", type,
                               "; the file is damaged or newer");
        }
    }

    static void need(const ByteReader& record, std::size_t fixed, const char* name) {
        if (record.left() < fixed) {
            record.malformed("a ", name, " record has at least ", fixed, " bytes, this one has ",
                             record.left());
        }
    }

    static MemoryCopy read_copy(ByteReader record) {
        need(record, 40, "copy");
        record.skip(format::kRecordHeaderSize, "header");
        MemoryCopy copy;
        copy.dst_region = record.read<std::int32_t>("destination region");
        copy.src_region = record.read<std::int32_t>("source region");
        copy.dst_offset = record.read<std::uint64_t>("destination offset");
        copy.src_offset = record.read<std::uint64_t>("source offset");
        copy.size = record.read<std::uint64_t>("size");
        return copy;
    }

    static MemoryUpload read_upload(ByteReader record) {
        need(record, 32, "upload");
        record.skip(format::kRecordHeaderSize, "header");
        MemoryUpload upload;
        upload.dst_region = record.read<std::int32_t>("destination region");
        record.skip(4, "padding");
        upload.dst_offset = record.read<std::uint64_t>("destination offset");
        const auto size = record.read<std::uint64_t>("size");
        const std::byte* data = record.take(size, "the data of an upload");
        upload.data.assign(data, data + size);
        return upload;
    }

    static MemorySet read_memset(ByteReader record) {
        need(record, 32, "memset");
        record.skip(format::kRecordHeaderSize, "header");
        MemorySet set;
        set.region = record.read<std::int32_t>("region");
        set.value = record.read<std::int32_t>("value");
        set.offset = record.read<std::uint64_t>("offset");
        set.size = record.read<std::uint64_t>("size");
        return set;
    }

    static MemoryTile read_tile(ByteReader record) {
        need(record, 32, "tile");
        record.skip(format::kRecordHeaderSize, "header");
        MemoryTile tile;
        tile.region = record.read<std::int32_t>("region");
        const auto size = record.read<std::uint32_t>("value size");
        tile.offset = record.read<std::uint64_t>("offset");
        tile.count = record.read<std::uint64_t>("count");
        if (size == 0) record.malformed("a tile operation has no value (size 0)");
        const std::byte* value = record.take(size, "the value of a tile");
        tile.value.assign(value, value + size);
        if (tile.count > ~std::uint64_t{0} / size) {
            record.malformed("tile: ", tile.count, " values of ", size, " bytes do not fit in 64 bits");
        }
        return tile;
    }

    Conditional read_conditional(ByteReader record, bool loop, int depth) {
        const char* name = loop ? "while" : "if";
        need(record, format::kConditionalSize, name);
        if (depth >= limits_.nesting) {
            record.fail_at(WC_ERROR_LIMIT, record.file_offset(),
                           "conditionals are nested deeper than the limit of ", limits_.nesting);
        }
        record.skip(format::kRecordHeaderSize, "header");
        Conditional conditional;
        conditional.loop = loop;
        conditional.region = record.read<std::int32_t>("condition region");
        record.skip(4, "padding");
        conditional.offset = record.read<std::uint64_t>("condition offset");
        const auto a_size = record.read<std::uint32_t>("size of branch A");
        const auto a_count = record.read<std::uint32_t>("count of branch A");
        const auto b_size = record.read<std::uint32_t>("size of branch B");
        const auto b_count = record.read<std::uint32_t>("count of branch B");
        if ((a_size == 0) != (a_count == 0) || (b_size == 0) != (b_count == 0)) {
            record.malformed(name, ": a branch has bytes without operations, or operations without bytes");
        }
        if (loop && b_size != 0) record.malformed("while: it has a second branch; only if may");
        ByteReader a = record.slice(a_size, "branch A");
        ByteReader b = record.slice(b_size, "branch B");
        conditional.branch_a = read(a, a_count, depth + 1);
        conditional.branch_b = read(b, b_count, depth + 1);
        return conditional;
    }

    static Launch read_launch(ByteReader record);

    const Limits& limits_;
    std::uint32_t operations_ = 0;
};

// The variable part of a launch: bindings, relocations and values, consumed side by side.
struct ArgumentTables {
    ByteReader bindings, relocations;
    const std::byte* values;
    std::uint32_t value_size;
    std::uint64_t packed = 0;  // where the next value begins, before alignment
};

Relocation read_relocation(ByteReader& table, std::size_t value_size) {
    const std::uint64_t start = table.file_offset();
    Relocation relocation;
    relocation.value_offset = table.read<std::uint32_t>("relocation offset");
    relocation.region = table.read<std::int32_t>("relocation region");
    relocation.region_offset = table.read<std::uint64_t>("relocation region offset");
    const auto kind = table.read<std::uint8_t>("relocation kind");
    table.skip(7, "relocation padding");
    if (kind < 1 || kind > 3) {
        table.fail_at(WC_ERROR_FORMAT, start + 16, "relocation kind ", kind,
                      ", allowed are 1 (data), 2 (handle), 3 (null)");
    }
    relocation.kind = static_cast<RelocationKind>(kind);
    if (relocation.kind != RelocationKind::data_pointer) relocation.region = kNoRegion;
    if (std::uint64_t{relocation.value_offset} + 8 > value_size) {
        table.fail_at(WC_ERROR_FORMAT, start, "a relocation at byte ", relocation.value_offset,
                      " of a value of ", value_size, " bytes; the 8 bytes of the pointer must lie inside");
    }
    return relocation;
}

Argument read_argument(ArgumentTables& tables) {
    const std::uint64_t start = tables.bindings.file_offset();
    tables.bindings.skip(2, "parameter index");
    const auto relocations = tables.bindings.read<std::uint16_t>("relocation count");
    const auto offset = tables.bindings.read<std::uint32_t>("value offset");
    const auto size = tables.bindings.read<std::uint32_t>("value size");
    const auto align = tables.bindings.read<std::uint32_t>("value alignment");
    const std::uint64_t step = align == 0 ? 8 : align;
    tables.packed = (tables.packed + step - 1) / step * step;
    if (offset != tables.packed) {
        tables.bindings.fail_at(WC_ERROR_FORMAT, start + 4, "an argument lies at ", offset,
                                " of the values, by its alignment of ", step, " it belongs at ",
                                tables.packed);
    }
    tables.packed += size;
    if (offset > tables.value_size || size > tables.value_size - offset) {
        tables.bindings.fail_at(WC_ERROR_FORMAT, start, "an argument of ", size, " bytes at ", offset,
                                " lies outside the launch's ", tables.value_size, " value bytes");
    }
    if (std::uint64_t{relocations} * format::kRelocationSize > tables.relocations.left()) {
        tables.bindings.fail_at(WC_ERROR_FORMAT, start + 2, "an argument has ", relocations,
                                " relocations, more than the launch has left");
    }
    Argument argument;
    argument.align = align == 0 ? 8 : align;
    argument.value.assign(tables.values + offset, tables.values + offset + size);
    for (std::uint16_t i = 0; i < relocations; ++i) {
        argument.relocations.push_back(read_relocation(tables.relocations, size));
        std::memset(argument.value.data() + argument.relocations.back().value_offset, 0,
                    8);  // a stale pointer
    }
    return argument;
}

Launch StreamReader::read_launch(ByteReader record) {
    need(record, format::kLaunchSize, "launch");
    record.skip(format::kRecordHeaderSize, "header");
    Launch launch;
    for (std::uint32_t& extent : launch.shape) extent = record.read<std::uint32_t>("shape");
    launch.ndim = record.read<std::int32_t>("rank");
    launch.size = record.read<std::uint64_t>("size");
    launch.dim = record.read<std::uint64_t>("dim");
    launch.max_blocks = record.read<std::int32_t>("block cap");
    launch.block_dim = record.read<std::int32_t>("block size");
    launch.smem_bytes = record.read<std::int32_t>("shared memory");
    launch.grid_stride = record.read<std::int32_t>("grid kind");
    launch.forward = record.read<std::uint8_t>("direction") != 0;
    launch.cluster_dim = record.read<std::uint8_t>("cluster size");
    if (launch.cluster_dim == 0) launch.cluster_dim = 1;
    record.skip(2, "padding");
    const auto key_length = record.read<std::uint16_t>("kernel key length");
    const auto hash_length = record.read<std::uint16_t>("module hash length");
    const auto parameters = record.read<std::uint16_t>("parameter count");
    record.skip(2, "padding");
    const auto relocations = record.read<std::uint32_t>("relocation count");
    const auto value_size = record.read<std::uint32_t>("value size");

    launch.kernel_key = record.take_text(key_length, "kernel key of a launch");
    launch.module_hash = record.take_text(hash_length, "module hash of a launch");
    const std::uint64_t bindings = std::uint64_t{parameters} * (launch.forward ? 1 : 2);
    ByteReader binding_table =
        record.slice(bindings * format::kBindingRecordSize, "the arguments of a launch");
    ByteReader relocation_table =
        record.slice(std::uint64_t{relocations} * format::kRelocationSize, "the relocations of a launch");
    ArgumentTables tables{binding_table, relocation_table, record.take(value_size, "the values of a launch"),
                          value_size};
    for (std::uint64_t i = 0; i < bindings; ++i) {
        (i < parameters ? launch.arguments : launch.adjoints).push_back(read_argument(tables));
    }
    if (tables.relocations.left() != 0) {
        record.malformed("launch of ", quoted(launch.kernel_key), ": ", relocations,
                         " relocations, more than its arguments use");
    }
    return launch;
}

}  // namespace

void read_operations(ByteReader section, const Limits& limits, Capture& capture) {
    const auto count = section.read<std::uint32_t>("operation count");
    if (std::uint64_t{count} * format::kRecordHeaderSize > section.left()) {
        section.malformed("the count of ", count, " operations is more than the section can hold");
    }
    capture.operations = StreamReader(limits).read(section, count, 0);
}

}  // namespace whitecap
