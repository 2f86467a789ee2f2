// Rules of the operations that are kept byte for byte because no Program runs them yet: alloc, scan, the
// sorts, run-length encode, the two BSR operations, reduction. Each access is described as a span, so that
// overflow shows here and a span outside its region shows in validate().
#include "opaque_operation.hpp"

#include <algorithm>

#include "format.hpp"
#include "reader.hpp"

namespace whitecap {
namespace {

using u64 = std::uint64_t;

// Scalar type codes: 1 i32, 2 u32, 3 i64, 4 u64, 5 f32, 6 f64.
u64 scalar_size(std::uint8_t dtype) {
    return dtype == 3 || dtype == 4 || dtype == 6 ? 8 : 4;
}

class RecordReader {
  public:
    RecordReader(std::uint32_t type, ByteReader record, std::size_t fixed)
        : name_(format::op_name(type)), record_(record) {
        if (record.left() < fixed) {
            record.malformed("a ", name_, " record has at least ", fixed, " bytes, this one has ",
                             record.left());
        }
        record_.skip(format::kRecordHeaderSize, "header");
    }

    std::int32_t i32() { return record_.read<std::int32_t>(name_); }
    std::uint32_t u32() { return record_.read<std::uint32_t>(name_); }
    u64 offset() { return record_.read<u64>(name_); }
    std::uint8_t u8() { return record_.read<std::uint8_t>(name_); }
    void skip(std::size_t count) { record_.skip(count, name_); }
    std::size_t left() const { return record_.left(); }

    void require(bool allowed, const char* what) const {
        if (!allowed) record_.malformed(name_, ": ", what);
    }

    // base + count * step, refused when it does not fit in 64 bits.
    u64 span(u64 count, u64 step, u64 base = 0) const {
        require(step == 0 || count <= (~u64{0} - base) / step, "the bytes it reaches overflow 64 bits");
        return base + count * step;
    }

  private:
    const char* name_;
    ByteReader record_;
};

std::vector<RegionSpan> scan(RecordReader r) {
    const auto dst = r.i32(), src = r.i32();
    const auto dst_offset = r.offset(), src_offset = r.offset();
    const u64 length = r.u32();
    const auto in_stride = r.i32(), out_stride = r.i32(), type_len = r.i32();
    const auto dtype = r.u8(), inclusive = r.u8();
    r.require(dtype == 1 || dtype == 3 || dtype == 5 || dtype == 6,
              "its scalar type is none of i32, i64, f32, f64");
    r.require(inclusive <= 1, "its inclusive flag is above 1");
    r.require(in_stride >= 0 && out_stride >= 0, "a stride is negative");
    if (length == 0) return {};
    r.require(type_len > 0, "its component count is not positive");
    const u64 element = r.span(static_cast<u64>(type_len), scalar_size(dtype));
    return {{dst, dst_offset, r.span(length - 1, static_cast<u64>(out_stride), element)},
            {src, src_offset, r.span(length - 1, static_cast<u64>(in_stride), element)}};
}

std::vector<RegionSpan> segmented_sort(RecordReader r) {
    const auto keys = r.i32(), values = r.i32(), starts = r.i32(), ends = r.i32();
    const auto keys_offset = r.offset(), values_offset = r.offset(), starts_offset = r.offset(),
               ends_offset = r.offset();
    const u64 count = r.u32(), segments = r.u32();
    const auto dtype = r.u8();
    r.require(dtype == 1 || dtype == 5, "its key type is neither i32 nor f32");
    if (count == 0) return {};
    return {{keys, keys_offset, 2 * count * 4},  // upper half: scratch
            {values, values_offset, 2 * count * 4},
            {starts, starts_offset, segments * 4},
            {ends, ends_offset, segments * 4}};
}

std::vector<RegionSpan> radix_sort(RecordReader r) {
    const auto keys = r.i32(), values = r.i32();
    const auto keys_offset = r.offset(), values_offset = r.offset();
    const u64 count = r.u32();
    const auto begin = r.i32(), end = r.i32(), value_size = r.i32();
    const auto dtype = r.u8();
    r.require(dtype >= 1 && dtype <= 6, "its key type is not 1 to 6");
    r.require(begin >= 0 && begin <= end && end <= static_cast<std::int32_t>(scalar_size(dtype) * 8),
              "its bit range is not inside the key");
    r.require(value_size == 4 || value_size == 8, "its value size is neither 4 nor 8");
    if (count == 0) return {};
    return {{keys, keys_offset, 2 * count * scalar_size(dtype)},
            {values, values_offset, 2 * count * static_cast<u64>(value_size)}};
}

std::vector<RegionSpan> run_length_encode(RecordReader r) {
    const auto values = r.i32(), run_values = r.i32(), run_lengths = r.i32(), run_count = r.i32();
    const auto values_offset = r.offset(), run_values_offset = r.offset(), lengths_offset = r.offset();
    const auto count_offset = r.offset();
    const u64 count = r.u32();
    return {{values, values_offset, count * 4},
            {run_values, run_values_offset, count * 4},
            {run_lengths, lengths_offset, count * 4},
            {run_count, count_offset, 4}};
}

// The eight or ten (region, offset) pairs of a BSR operation; sizes[i] < 0 marks an optional one that is
// absent.
std::vector<RegionSpan> region_table(RecordReader& r, const std::vector<u64>& sizes,
                                     const std::vector<bool>& optional) {
    std::vector<RegionSpan> spans(sizes.size());
    for (RegionSpan& span : spans) span.region = r.i32();
    for (RegionSpan& span : spans) span.offset = r.offset();
    std::vector<RegionSpan> present;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        spans[i].size = sizes[i];
        if (!(optional[i] && spans[i].region == kNoRegion)) present.push_back(spans[i]);
    }
    return present;
}

std::vector<RegionSpan> bsr_from_triplets(RecordReader r) {
    const auto block = r.i32(), scalar = r.i32(), rows = r.i32(), columns = r.i32(), nnz = r.i32();
    const auto masked = r.u8();
    r.skip(3);
    r.skip(8);  // mask of the scalars that count as zero
    r.require(block > 0 && scalar >= 0 && rows >= 0 && columns >= 0 && nnz >= 0,
              "a size or count is negative");
    r.require(masked <= 1, "its masked flag is above 1");
    const u64 n = static_cast<u64>(nnz), row_count = static_cast<u64>(rows);
    const u64 values = r.span(r.span(n, static_cast<u64>(block)), static_cast<u64>(scalar));
    return region_table(r,
                        {4, n * 4, n * 4, values, n * 4, n * 4, (row_count + 1) * 4, row_count * 4, n * 4, 0},
                        {true, false, false, true, false, false, false, true, false, true});
}

std::vector<RegionSpan> bsr_transpose(RecordReader r) {
    const auto rows = r.i32(), columns = r.i32(), nnz = r.i32();
    r.require(rows >= 0 && columns >= 0 && nnz >= 0, "a size or count is negative");
    const u64 n = static_cast<u64>(nnz), row_count = static_cast<u64>(rows),
              column_count = static_cast<u64>(columns);
    RecordReader regions = r;
    for (int i = 0; i < 4; ++i) regions.skip(4);
    const bool padded = regions.i32() != kNoRegion;  // t_row_counts
    auto spans = region_table(
        r, {(row_count + 1) * 4, row_count * 4, n * 4, (column_count + 1) * 4, column_count * 4, 0, 0, 4},
        {false, true, false, false, true, false, false, true});
    r.require(!padded || r.left() >= (column_count + 1) * 4,
              "its padded form has no room for the column offsets");
    return spans;
}

std::vector<RegionSpan> reduction(RecordReader r) {
    const auto a = r.i32(), b = r.i32(), out = r.i32();
    const u64 count = r.u32();
    const auto a_offset = r.offset(), b_offset = r.offset(), out_offset = r.offset();
    const auto a_stride = r.i32(), b_stride = r.i32(), type_len = r.i32();
    const auto kind = r.u8(), dtype = r.u8();
    r.require(kind == 1 || kind == 2, "its kind is neither 1 (sum) nor 2 (inner product)");
    r.require(dtype == 5 || dtype == 6, "its scalar type is neither f32 nor f64");
    r.require(count >= 1 && count <= 0x7fffffff, "its count is not 1 to 2147483647");
    r.require(type_len >= 1, "its component count is not positive");
    r.require(a_stride >= 0 && b_stride >= 0, "a stride is negative");
    const u64 scalar = scalar_size(dtype);
    const bool aligned =
        (a_offset | b_offset | out_offset | static_cast<u64>(a_stride) | static_cast<u64>(b_stride)) %
            scalar ==
        0;
    r.require(aligned, "an offset or stride is no multiple of its scalar size");
    r.require(a != kNoRegion && out != kNoRegion, "its input or output region is missing");
    const u64 element = r.span(static_cast<u64>(type_len), scalar);
    const RegionSpan input{a, a_offset, r.span(count - 1, static_cast<u64>(a_stride), element)};
    if (kind == 1) {
        r.require(b == kNoRegion && b_offset == 0 && b_stride == 0, "a sum must have no second input");
        return {input, {out, out_offset, element}};
    }
    r.require(b != kNoRegion, "an inner product needs a second input");
    return {input,
            {b, b_offset, r.span(count - 1, static_cast<u64>(b_stride), element)},
            {out, out_offset, scalar}};
}

}  // namespace

std::vector<RegionSpan> opaque_spans(std::uint32_t type, ByteReader record) {
    const std::size_t size = record.left();
    switch (type) {
        case format::kAlloc: {
            RecordReader r(type, record, 24);
            return {{r.i32(), 0, 0}};
        }
        case format::kScan:
            return scan({type, record, 52});
        case format::kSegmentedSort:
            return segmented_sort({type, record, 68});
        case format::kRadixSort:
            return radix_sort({type, record, 52});
        case format::kRunLengthEncode:
            return run_length_encode({type, record, 64});
        case format::kBsrFromTriplets:
            return bsr_from_triplets({type, record, 160});
        case format::kBsrTranspose:
            return bsr_transpose({type, record, 116});
        case format::kReduction:
            if (size != 64) record.malformed("a reduction record has exactly 64 bytes, this one has ", size);
            return reduction({type, record, 64});
        default:
            record.malformed("unknown operation type ", type);
    }
}

void check_opaque_operation(std::uint32_t type, ByteReader record) {
    opaque_spans(type, record);
}

}  // namespace whitecap
