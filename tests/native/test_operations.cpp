// The operation stream: good records, and records that break a rule.
#include "check.hpp"
#include "reader.hpp"
#include "sample.hpp"

using namespace whitecap;
using namespace sample;

namespace {

Capture read(const Bytes& bytes) {
    return read_capture(bytes.data(), bytes.size());
}

Capture read_stream(const Layout& stream, std::uint32_t count = 1, std::uint64_t region_size = 64) {
    return read(file_of(stream.done(), count, region_size));
}

void refuse(int line, const Layout& stream, const std::string& fragment, wc_error code = WC_ERROR_FORMAT,
            std::uint32_t count = 1, std::uint64_t region_size = 64) {
    check::expect_error(__FILE__, line, code, {fragment}, [&] { read_stream(stream, count, region_size); });
}

#define REFUSE(stream, ...) refuse(__LINE__, stream, __VA_ARGS__)

Layout copy(std::int32_t dst, std::int32_t src, std::uint64_t dst_offset, std::uint64_t src_offset,
            std::uint64_t size) {
    return Layout().u32(4).u32(40).put(dst).put(src).u64(dst_offset).u64(src_offset).u64(size);
}

Layout memset(std::int32_t region, std::uint64_t offset, std::uint64_t size) {
    return Layout().u32(5).u32(32).put(region).put(std::int32_t{0x1ff}).u64(offset).u64(size);
}

Layout tile(std::int32_t region, std::uint64_t offset, std::uint64_t count, std::uint32_t size) {
    return Layout().u32(10).u32(32 + size).put(region).u32(size).u64(offset).u64(count).zeros(size);
}

Layout upload(std::uint64_t size, std::size_t bytes) {
    return Layout()
        .u32(2)
        .u32(static_cast<std::uint32_t>(32 + bytes))
        .put(std::int32_t{1})
        .zeros(4)
        .u64(0)
        .u64(size)
        .zeros(bytes);
}

struct Branch {
    Layout stream;
    std::uint32_t count = 0;
};

Layout conditional(unsigned type, const Branch& a, const Branch& b = {}, std::uint64_t offset = 0) {
    Layout out;
    out.u32(type)
        .u32(static_cast<std::uint32_t>(40 + a.stream.size() + b.stream.size()))
        .put(std::int32_t{1})
        .zeros(4)
        .u64(offset);
    out.u32(static_cast<std::uint32_t>(a.stream.size())).u32(a.count);
    out.u32(static_cast<std::uint32_t>(b.stream.size())).u32(b.count);
    return out.bytes(a.stream.done()).bytes(b.stream.done());
}

void refuse_launch_u32(int line, std::size_t offset, std::uint32_t value, const std::string& fragment,
                       wc_error code = WC_ERROR_FORMAT) {
    check::expect_error(__FILE__, line, code, {fragment},
                        [&] { read(patched(worked_example(), offset, value)); });
}

#define REFUSE_LAUNCH(offset, value, ...) refuse_launch_u32(__LINE__, offset, value, __VA_ARGS__)

}  // namespace

TEST(memory_operations_are_read) {
    Layout stream;
    stream.bytes(copy(1, 1, 0, 32, 32).done())
        .bytes(memset(1, 8, 8).done())
        .bytes(tile(1, 0, 16, 4).done())
        .bytes(upload(8, 8).done());
    const Capture capture = read_stream(stream, 4);
    CHECK_EQ(std::get<MemoryCopy>(capture.operations[0].op).src_offset, std::uint64_t{32});
    CHECK_EQ(std::get<MemorySet>(capture.operations[1].op).value, 0x1ff);
    CHECK_EQ(std::get<MemoryTile>(capture.operations[2].op).count, std::uint64_t{16});
    CHECK_EQ(std::get<MemoryUpload>(capture.operations[3].op).data.size(), std::size_t{8});
}

TEST(spans_outside_their_region_are_refused) {
    REFUSE(copy(1, 1, 33, 0, 32), "32 bytes at 33 lie outside region 1 of 64 bytes");
    REFUSE(copy(1, 1, 0, 65, 0), "lie outside region 1");
    REFUSE(copy(1, 1, ~std::uint64_t{0}, 0, 2), "lie outside region 1");
    REFUSE(copy(2, 1, 0, 0, 8), "copy destination: region 2 does not exist");
    REFUSE(copy(1, -1, 0, 0, 8), "copy source: region -1 does not exist");
    REFUSE(memset(1, 60, 5), "5 bytes at 60");
    REFUSE(memset(-1, 0, 0), "region -1 does not exist");
    REFUSE(tile(1, 0, 17, 4), "68 bytes at 0");
    REFUSE(upload(100, 100), "100 bytes at 0");
    read_stream(copy(1, 1, 64, 64, 0));  // nothing at the end is allowed
}

TEST(overlapping_copies_are_refused) {
    REFUSE(copy(1, 1, 0, 8, 16), "source and destination overlap in region 1");
    read_stream(copy(1, 1, 0, 16, 16));
    read_stream(copy(1, 1, 8, 8, 16));  // onto itself: nothing changes
}

TEST(records_shorter_than_their_kind_or_longer_than_the_stream_are_refused) {
    REFUSE(Layout().u32(4).u32(39).zeros(31), "a copy record has at least 40 bytes, this one has 39");
    REFUSE(Layout().u32(4).u32(41).zeros(32), "says it has 41 bytes, 40 are left");
    REFUSE(Layout().u32(4).u32(7), "says it has 7 bytes");
    REFUSE(Layout().u32(4).u32(0xffffffff).zeros(32), "says it has 4294967295 bytes");
    REFUSE(Layout().u32(5), "4 bytes follow the last of 0 operations", WC_ERROR_FORMAT, 0);
    REFUSE(memset(1, 0, 8).zeros(4), "4 bytes follow the last of 1 operations");
    REFUSE(memset(1, 0, 8), "the count of 100 operations is more than the section can hold", WC_ERROR_FORMAT,
           100);
    REFUSE(Layout(), "more than the section can hold");
}

TEST(extra_bytes_inside_a_record_are_skipped) {
    const Layout stream = Layout().u32(5).u32(40).put(std::int32_t{1}).zeros(4).u64(0).u64(8).zeros(8);
    CHECK_EQ(read_stream(stream).operations.size(), std::size_t{1});
}

TEST(unknown_and_live_only_operations_are_refused) {
    for (std::uint32_t type : {0u, 3u, 20u, 255u})
        REFUSE(Layout().u32(type).u32(64).zeros(56), "unknown operation type");
    for (std::uint32_t type : {17u, 18u, 19u})
        REFUSE(Layout().u32(type).u32(64).zeros(56), "live capture only", WC_ERROR_UNSUPPORTED);
    const Branch hidden{Layout().u32(17).u32(24).zeros(16), 1};
    REFUSE(conditional(7, hidden), "live capture only", WC_ERROR_UNSUPPORTED);
}

TEST(tiles_and_uploads_without_room_for_their_bytes_are_refused) {
    REFUSE(tile(1, 0, 1, 0), "has no value");
    REFUSE(Layout().u32(10).u32(32).put(std::int32_t{1}).u32(4).u64(0).u64(1),
           "the value of a tile needs 4 bytes, 0 are left");
    REFUSE(Layout().u32(10).u32(36).put(std::int32_t{1}).u32(4).u64(0).u64(std::uint64_t{1} << 63).zeros(4),
           "do not fit in 64 bits");
    REFUSE(upload(9, 8), "the data of an upload needs 9 bytes, 8 are left");
    REFUSE(upload(~std::uint64_t{0}, 8), "the data of an upload");
}

TEST(conditionals_are_read_with_both_branches) {
    const Branch one{memset(1, 0, 4), 1};
    const Capture capture = read_stream(conditional(7, one, one, 60));
    const auto& branches = std::get<Conditional>(capture.operations[0].op);
    CHECK(!branches.loop);
    CHECK_EQ(branches.offset, std::uint64_t{60});
    CHECK_EQ(branches.branch_a.size() + branches.branch_b.size(), std::size_t{2});
    CHECK(std::get<Conditional>(read_stream(conditional(8, one)).operations[0].op).loop);
    CHECK(std::get<Conditional>(read_stream(conditional(8, {})).operations[0].op).branch_a.empty());
}

TEST(conditionals_that_break_a_rule_are_refused) {
    const Branch one{memset(1, 0, 4), 1};
    REFUSE(conditional(8, one, one), "while: it has a second branch");
    REFUSE(conditional(7, {memset(1, 0, 4), 0}), "bytes without operations");
    REFUSE(conditional(7, {Layout(), 1}), "operations without bytes");
    REFUSE(conditional(7, {memset(1, 0, 4), 2}), "needs 4 bytes, 0 are left");
    REFUSE(conditional(7, {memset(1, 0, 4).zeros(1), 1}), "1 bytes follow the last");
    REFUSE(conditional(7, one, {}, 61), "4 bytes at 61 lie outside region 1");
    REFUSE(conditional(7, {memset(1, 61, 4), 1}), "4 bytes at 61");
    Layout longer;
    longer.u32(7).u32(40).put(std::int32_t{1}).zeros(4).u64(0).u32(100).u32(1).u32(0).u32(0);
    REFUSE(longer, "branch A needs 100 bytes, 0 are left");
}

TEST(nesting_deeper_than_the_limit_is_refused) {
    const auto nested = [](int depth) {
        Layout stream = memset(1, 0, 4);
        for (int i = 0; i < depth; ++i) stream = conditional(7, {stream, 1});
        return stream;
    };
    CHECK_EQ(read_stream(nested(64)).operations.size(), std::size_t{1});
    REFUSE(nested(65), "nested deeper than the limit of 64", WC_ERROR_LIMIT);
    REFUSE(nested(5000), "nested deeper than the limit of 64", WC_ERROR_LIMIT);
}

TEST(operations_that_no_program_runs_are_kept_byte_for_byte) {
    Layout stream;
    stream.u32(6).u32(24).put(std::int32_t{1}).zeros(4).u64(64);  // alloc
    stream.u32(9)
        .u32(52)
        .put(std::int32_t{1})
        .put(std::int32_t{1})
        .u64(0)
        .u64(0)
        .u32(4)
        .u32(4)
        .u32(4)
        .u32(1)
        .u8(1)
        .u8(0)
        .zeros(2);
    const Capture capture = read_stream(stream, 2);
    CHECK_EQ(std::get<OpaqueOp>(capture.operations[0].op).type, 6u);
    CHECK_EQ(std::get<OpaqueOp>(capture.operations[1].op).record.size(), std::size_t{52});
}

TEST(opaque_operations_follow_the_rules_of_their_kind) {
    const auto scan = [](std::uint32_t length, std::int32_t in, std::int32_t out, std::int32_t components,
                         unsigned dtype, unsigned inclusive) {
        return Layout()
            .u32(9)
            .u32(52)
            .put(std::int32_t{1})
            .put(std::int32_t{1})
            .u64(0)
            .u64(0)
            .u32(length)
            .put(in)
            .put(out)
            .put(components)
            .u8(dtype)
            .u8(inclusive)
            .zeros(2);
    };
    REFUSE(scan(4, 4, 4, 1, 2, 0), "scalar type");
    REFUSE(scan(4, 4, 4, 1, 1, 2), "inclusive flag");
    REFUSE(scan(4, -4, 4, 1, 1, 0), "stride is negative");
    REFUSE(scan(4, 4, 4, 0, 1, 0), "component count");
    REFUSE(scan(17, 4, 4, 1, 1, 0), "68 bytes at 0 lie outside region 1");
    REFUSE(scan(0xffffffff, 0x7fffffff, 4, 1, 1, 0), "lie outside region 1");

    const auto radix = [](std::int32_t begin, std::int32_t end, std::int32_t value_size, unsigned dtype,
                          std::uint32_t count = 4) {
        return Layout()
            .u32(12)
            .u32(52)
            .put(std::int32_t{1})
            .put(std::int32_t{1})
            .u64(0)
            .u64(0)
            .u32(count)
            .put(begin)
            .put(end)
            .put(value_size)
            .u8(dtype)
            .zeros(3);
    };
    read_stream(radix(0, 32, 4, 1));
    REFUSE(radix(-1, 32, 4, 1), "bit range");
    REFUSE(radix(8, 4, 4, 1), "bit range");
    REFUSE(radix(0, 33, 4, 1), "bit range");
    REFUSE(radix(0, 32, 2, 1), "value size");
    REFUSE(radix(0, 32, 4, 7), "key type");
    REFUSE(radix(0, 32, 4, 1, 9), "72 bytes at 0");

    const auto sort = [](unsigned dtype, std::uint32_t segments) {
        return Layout()
            .u32(11)
            .u32(68)
            .put(1)
            .put(1)
            .put(1)
            .put(1)
            .zeros(32)
            .u32(4)
            .u32(segments)
            .u8(dtype)
            .zeros(3);
    };
    read_stream(sort(5, 2));
    REFUSE(sort(3, 2), "key type is neither i32 nor f32");
    REFUSE(sort(1, 17), "68 bytes at 0");

    const auto runs = [](std::uint32_t count, std::int32_t region = 1) {
        return Layout().u32(13).u32(64).put(1).put(region).put(1).put(1).zeros(32).u32(count).zeros(4);
    };
    read_stream(runs(16));
    REFUSE(runs(17), "68 bytes at 0");
    REFUSE(runs(4, 9), "region 9 does not exist");

    const auto reduction = [](std::uint32_t count, std::int32_t a_stride, std::int32_t b, unsigned kind,
                              unsigned dtype, std::uint64_t a_offset = 0) {
        return Layout()
            .u32(16)
            .u32(64)
            .put(1)
            .put(b)
            .put(1)
            .u32(count)
            .u64(a_offset)
            .u64(0)
            .u64(0)
            .put(a_stride)
            .put(0)
            .put(1)
            .u8(kind)
            .u8(dtype)
            .zeros(2);
    };
    read_stream(reduction(16, 4, -1, 1, 5));
    REFUSE(reduction(0, 4, -1, 1, 5), "count");
    REFUSE(reduction(16, -4, -1, 1, 5), "negative");
    REFUSE(reduction(16, 6, -1, 1, 5), "multiple of its scalar size");
    REFUSE(reduction(16, 4, -1, 1, 5, 2), "multiple of its scalar size");
    REFUSE(reduction(16, 4, 1, 1, 5), "a sum must have no second input");
    REFUSE(reduction(16, 4, -1, 2, 5), "an inner product needs a second input");
    REFUSE(reduction(16, 4, -1, 3, 5), "kind is neither");
    REFUSE(reduction(16, 4, -1, 1, 1), "scalar type is neither");
    REFUSE(reduction(17, 4, -1, 1, 5), "68 bytes at 0");
    Layout longer = Layout().u32(16).u32(68).zeros(60);
    REFUSE(longer, "exactly 64 bytes, this one has 68");

    const auto triplets = [](std::int32_t rows, std::int32_t nnz, std::int32_t block = 1) {
        Layout out;
        out.u32(14).u32(160).put(block).put(4).put(rows).put(4).put(nnz).u8(0).zeros(3).u64(0);
        for (int i = 0; i < 10; ++i) out.put(i == 0 || i == 3 || i == 7 || i == 9 ? -1 : 1);
        return out.zeros(80);
    };
    read_stream(triplets(4, 4));
    REFUSE(triplets(4, -1), "negative");
    REFUSE(triplets(4, 4, 0), "negative");
    REFUSE(triplets(4, 17), "68 bytes at 0");
    REFUSE(triplets(16, 4), "68 bytes at 0");

    const auto transpose = [](std::int32_t columns, bool padded, std::size_t tail) {
        Layout out;
        out.u32(15).u32(static_cast<std::uint32_t>(116 + tail)).put(3).put(columns).put(4);
        for (int i = 0; i < 8; ++i) out.put(i == 1 || i == 7 || (i == 4 && !padded) ? -1 : 1);
        return out.zeros(64).zeros(tail);
    };
    read_stream(transpose(3, false, 0));
    read_stream(transpose(3, true, 16));
    REFUSE(transpose(3, true, 12), "no room for the column offsets");
    REFUSE(transpose(-1, false, 0), "negative");
    REFUSE(transpose(16, false, 0), "68 bytes at 0");
}

TEST(launches_that_break_a_rule_are_refused) {
    const std::size_t launch = at::kLaunch;
    REFUSE_LAUNCH(launch + 24, 0, "rank 0, allowed are 1 to 4");
    REFUSE_LAUNCH(launch + 24, 5, "rank 5");
    REFUSE_LAUNCH(launch + 24, 0xffffffff, "rank -1");
    REFUSE_LAUNCH(launch + 28, 5, "grid size 4 differs from the size 5");
    REFUSE_LAUNCH(launch + 8, 3, "size 4 is no multiple of its shape's 3 threads");
    REFUSE_LAUNCH(launch + 8, 0, "size 4 is no multiple of its shape's 0 threads");
    REFUSE_LAUNCH(launch + 32, 1 << 10, "more than the limit", WC_ERROR_LIMIT);
    REFUSE_LAUNCH(launch + 44, 0x80000000, "block cap");
    REFUSE_LAUNCH(launch + 48, 1025, "block size 1025");
    REFUSE_LAUNCH(launch + 52, 0xffffffff, "shared memory");
    REFUSE_LAUNCH(launch + 56, 2, "grid kind 2");
    REFUSE_LAUNCH(launch + 60, 0x1101, "cluster size 17");
    REFUSE_LAUNCH(launch + 60, 0x0100, "a launch needs");  // backward: twice the bindings
    REFUSE_LAUNCH(launch + 64, 0x0040ffff, "kernel key of a launch needs 65535 bytes");
    REFUSE_LAUNCH(launch + 68, 0xffff, "the arguments of a launch");
    REFUSE_LAUNCH(launch + 68, 2, "relocation kind 0");  // the third binding read as a relocation
    REFUSE_LAUNCH(launch + 72, 3, "more than the launch has left");
    REFUSE_LAUNCH(launch + 72, 0xffffffff, "the relocations of a launch");
    REFUSE_LAUNCH(launch + 76, 121, "the values of a launch needs 121 bytes");
    REFUSE_LAUNCH(launch + 76, 119, "lies outside the launch's 119 value bytes");
    REFUSE_LAUNCH(launch + 80, 0x20202020, "has no such kernel");
}

TEST(arguments_that_break_a_rule_are_refused) {
    const std::size_t second = at::kBindings + 16;
    REFUSE_LAUNCH(second, 0x00010002, "more than its arguments use");
    REFUSE_LAUNCH(second, 0x00030002, "more than the launch has left");
    REFUSE_LAUNCH(second + 4, 16, "lies at 16 of the values, by its alignment of 8 it belongs at 8");
    REFUSE_LAUNCH(second + 4, 0xffffffff, "lies at 4294967295 of the values");
    REFUSE_LAUNCH(second + 8, 0xffffffff, "lies outside the launch's 120 value bytes");
    REFUSE_LAUNCH(second + 12, 128, "by its alignment of 128 it belongs at 128");
    REFUSE_LAUNCH(at::kBindings + 12, 3, "alignment 3 is no power of two");
    REFUSE_LAUNCH(at::kBindings + 12, 512, "alignment 512");
    REFUSE_LAUNCH(second + 8, 8, "a relocation at byte 8 of a value of 8 bytes");
    const Capture capture = read(patched(worked_example(), second + 12, 0u));
    CHECK_EQ(std::get<Launch>(capture.operations[0].op).arguments[1].align, 8u);  // 0 stands for 8
}

TEST(relocations_that_break_a_rule_are_refused) {
    const std::size_t first = at::kRelocations;
    REFUSE_LAUNCH(first, 49, "a relocation at byte 49 of a value of 56 bytes");
    REFUSE_LAUNCH(first, 0xffffffff, "a relocation at byte 4294967295");
    REFUSE_LAUNCH(first, 4, "two pointers overlap at byte 8");
    REFUSE_LAUNCH(first + 4, 9, "argument 2: region 9 does not exist");
    REFUSE_LAUNCH(first + 4, 0xffffffff, "region -1 does not exist");
    REFUSE_LAUNCH(first + 8, 17, "offset 17 lies past region 1 of 16 bytes");
    REFUSE_LAUNCH(first + 16, 0, "relocation kind 0");
    REFUSE_LAUNCH(first + 16, 4, "relocation kind 4");
}

TEST(arrays_that_reach_outside_their_region_are_refused) {
    const std::size_t array = at::kValues + 8;
    REFUSE_LAUNCH(at::kRelocations + 8, 8, "argument 2: the array reaches outside region 1 of 16 bytes");
    REFUSE_LAUNCH(array + 16, 5, "reaches outside region 1");
    REFUSE_LAUNCH(array + 16, 0x7fffffff, "reaches outside region 1");
    REFUSE_LAUNCH(array + 32, 8, "reaches outside region 1");
    REFUSE_LAUNCH(array + 32, 0x80000000, "reaches outside region 1");
    REFUSE_LAUNCH(array + 16, 0xffffffff, "negative extent");
    REFUSE_LAUNCH(array + 48, 5, "an array of rank 5");
    read(patched(worked_example(), array + 16, 0u));  // no elements: reaches nowhere
    read(patched(worked_example(), array + 32, 0u));  // stride 0: every element is the first
}
