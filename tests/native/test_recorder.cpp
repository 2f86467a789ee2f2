// Recording: addresses become regions and offsets; what cannot be recorded is refused.
#include "capture_edit.hpp"
#include "check.hpp"
#include "sample.hpp"

using namespace whitecap;
using namespace sample;

namespace {

struct Arrays {
    std::vector<float> x = std::vector<float>(8), y = std::vector<float>(8);
    Recorder recorder = sample::recorder();

    Arrays() {
        recorder.region(address(x.data()), 32, 4);
        recorder.region(address(y.data()), 32, 4);
    }
    void axpy(const std::vector<std::uint64_t>& shape = {8}) {
        recorder.launch("axpy", kModule, shape, {scalar(2.0f), array(x.data(), {8}), array(y.data(), {8})});
    }
};

}  // namespace

TEST(regions_count_from_one_and_are_known_again) {
    Arrays arrays;
    const std::uintptr_t x = address(arrays.x.data());
    CHECK_EQ(arrays.recorder.region(x, 32, 4), 1u);
    CHECK_EQ(arrays.recorder.region(x, 16, 4), 1u);  // fewer bytes of the same allocation
    CHECK(arrays.recorder.find_region(x + 31) == 1u);
    CHECK(arrays.recorder.find_region(x - 1) != 1u);
    CHECK(!arrays.recorder.find_region(8).has_value());
}

TEST(overlapping_regions_are_refused) {
    std::vector<std::byte> memory(64);
    Recorder recorder;
    const std::uintptr_t base = address(memory.data());
    recorder.region(base + 16, 16, 1);
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"overlap region 1"}), recorder.region(base, 17, 1));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"overlap region 1"}), recorder.region(base + 20, 4, 1));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"known already as region 1 of 16 bytes"}),
                recorder.region(base + 16, 17, 1));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"null pointer"}), recorder.region(0, 8, 1));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"wrap around"}), recorder.region(base, ~std::uint64_t{0}, 1));
    CHECK_EQ(recorder.region(base, 16, 1), 2u);
    CHECK_EQ(recorder.region(base + 32, 16, 1), 3u);
}

TEST(pointers_are_recorded_as_region_and_offset) {
    Arrays arrays;
    arrays.recorder.launch("axpy", kModule, {4},
                           {scalar(2.0f), array(arrays.x.data() + 4, {4}), array(nullptr, {})});
    const Capture capture = arrays.recorder.finish();
    const auto& launch = std::get<Launch>(capture.operations.at(0).op);
    CHECK_EQ(launch.arguments[1].relocations[0].region, 1);
    CHECK_EQ(launch.arguments[1].relocations[0].region_offset, std::uint64_t{16});
    CHECK(launch.arguments[2].relocations[0].kind == RelocationKind::null);
    CHECK_EQ(static_cast<int>(launch.arguments[1].value[0]), 0);
}

TEST(the_end_of_an_allocation_belongs_to_what_begins_there) {
    std::vector<std::byte> memory(32);
    Recorder recorder;
    const std::uintptr_t base = address(memory.data());
    recorder.region(base, 16, 1);
    recorder.memset(base + 15, 0, 1);
    recorder.binding("end", base + 16, false);
    recorder.region(base + 16, 16, 1);
    recorder.binding("next", base + 16, false);
    const Capture capture = recorder.finish();
    CHECK_EQ(find_binding(capture, "end")->region, 1u);
    CHECK_EQ(find_binding(capture, "next")->region, 2u);
}

TEST(unknown_addresses_are_refused_by_name) {
    Arrays arrays;
    std::vector<float> z(8);
    const std::uintptr_t unknown = address(z.data());
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"launch of \"axpy\", argument 2", "lies in no known region"}),
                arrays.recorder.launch("axpy", kModule, {8},
                                       {scalar(1.0f), array(z.data(), {8}), array(z.data(), {8})}));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"copy, source"}),
                arrays.recorder.copy(address(arrays.x.data()), unknown, 4));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"copy, destination"}),
                arrays.recorder.copy(unknown, address(arrays.x.data()), 4));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"memset"}), arrays.recorder.memset(unknown, 0, 4));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"tile"}), arrays.recorder.tile(unknown, Bytes(4), 1));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"binding \"z\""}), arrays.recorder.binding("z", unknown, false));
}

TEST(spans_past_the_end_of_a_region_are_refused) {
    Arrays arrays;
    const std::uintptr_t x = address(arrays.x.data());
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"33 bytes at offset 0 reach past region 1 of 32 bytes"}),
                arrays.recorder.memset(x, 0, 33));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"reach past region 1"}), arrays.recorder.tile(x + 4, Bytes(4), 8));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"overflow 64 bits"}),
                arrays.recorder.tile(x, Bytes(16), std::uint64_t{1} << 61));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"the value is empty"}), arrays.recorder.tile(x, Bytes(), 1));
}

TEST(calls_without_bytes_or_threads_are_not_recorded) {
    Arrays arrays;
    arrays.axpy({0});
    arrays.recorder.memset(address(arrays.x.data()), 0, 0);
    arrays.recorder.copy(1, 2, 0);
    arrays.recorder.tile(3, Bytes(4), 0);
    CHECK_EQ(arrays.recorder.finish().operations.size(), std::size_t{0});
}

TEST(shapes_and_sizes_that_make_no_launch_are_refused) {
    Arrays arrays;
    const auto launch = [&](const std::vector<std::uint64_t>& shape,
                            std::optional<std::uint64_t> size = std::nullopt) {
        arrays.recorder.launch("axpy", kModule, shape, {}, size);
    };
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"a shape of 0 extents"}), launch({}));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"a shape of 5 extents"}), launch({1, 1, 1, 1, 1}));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"extent 2147483648"}), launch({std::uint64_t{1} << 31}));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"more than 2^40 threads"}), launch({1 << 30, 1 << 30}));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"size 9 is neither"}), launch({8}, 9));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"is not known; call kernel() first"}),
                arrays.recorder.launch("waves", kModule, {8}, {}));
}

TEST(kernels_and_modules_are_registered_once) {
    Recorder recorder = sample::recorder();
    recorder.module(kModule, "again");
    recorder.kernel("axpy", kModule, "axpy_00000001");
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"\"axpy\" is known with symbol"}),
                recorder.kernel("axpy", kModule, "axpy_ffffffff"));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"must not be empty"}), recorder.kernel("", kModule, "x"));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"hash of module \"m\" is empty"}), recorder.module("", "m"));
    CHECK_EQ(recorder.finish().modules.size(), std::size_t{1});
    Recorder orphan;
    orphan.kernel("k", "nowhere", "k_1");
    CHECK_ERROR(WC_ERROR_FORMAT, ({"its module \"nowhere\" does not exist"}), orphan.finish());
}

TEST(branches_nest_and_are_taken_in_order) {
    Arrays arrays;
    Recorder& recorder = arrays.recorder;
    const std::uintptr_t x = address(arrays.x.data());
    recorder.begin_branch();
    recorder.memset(x, 1, 4);
    recorder.begin_branch();
    recorder.memset(x, 2, 4);
    recorder.end_branch();
    recorder.conditional(x, true, 1);
    recorder.end_branch();
    recorder.begin_branch();
    recorder.memset(x, 3, 4);
    recorder.end_branch();
    recorder.conditional(x + 4, false, 2);
    const Capture capture = recorder.finish();
    const auto& outer = std::get<Conditional>(capture.operations.at(0).op);
    CHECK_EQ(outer.offset, std::uint64_t{4});
    CHECK_EQ(outer.branch_a.size(), std::size_t{2});
    CHECK(std::get<Conditional>(outer.branch_a[1].op).loop);
    CHECK_EQ(std::get<MemorySet>(outer.branch_b.at(0).op).value, 3);
}

TEST(branches_out_of_order_are_refused) {
    Arrays arrays;
    Recorder& recorder = arrays.recorder;
    const std::uintptr_t x = address(arrays.x.data());
    CHECK_ERROR(WC_ERROR_STATE, ({"no branch is open"}), recorder.end_branch());
    CHECK_ERROR(WC_ERROR_STATE, ({"takes 1 branches, 0 have ended"}), recorder.conditional(x, false, 1));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"while has exactly 1"}), recorder.conditional(x, true, 2));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"if has 1 or 2"}), recorder.conditional(x, false, 0));
    recorder.begin_branch();
    CHECK_ERROR(WC_ERROR_STATE, ({"a branch is still open"}), recorder.finish());
    recorder.end_branch();
    CHECK_ERROR(WC_ERROR_STATE, ({"not used by conditional()"}), recorder.finish());
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"4 bytes at offset 30"}), recorder.conditional(x + 30, false, 1));
    recorder.conditional(x, false, 1);
    recorder.finish();
    CHECK_ERROR(WC_ERROR_STATE, ({"the recording is finished"}), recorder.memset(x, 0, 4));
    CHECK_ERROR(WC_ERROR_STATE, ({"the recording is finished"}), recorder.finish());
}

TEST(inputs_come_before_outputs) {
    Arrays arrays;
    arrays.recorder.binding("y", address(arrays.y.data()), true);
    arrays.recorder.binding("x", address(arrays.x.data()), false);
    const Capture capture = arrays.recorder.finish();
    CHECK_EQ(capture.bindings[0].name, std::string("x"));
    CHECK_EQ(capture.input_count, 1u);
}

TEST(one_name_for_two_regions_is_refused) {
    Arrays arrays;
    arrays.recorder.binding("x", address(arrays.x.data()), false);
    arrays.recorder.binding("x", address(arrays.y.data()), true);
    CHECK_ERROR(WC_ERROR_FORMAT, ({"\"x\" names region 1 and region 2"}), arrays.recorder.finish());
}

TEST(launches_of_one_kernel_pass_the_same_kinds_of_arguments) {
    Arrays arrays;
    arrays.axpy();
    arrays.recorder.launch("axpy", kModule, {8},
                           {scalar(2.0), array(arrays.x.data(), {8}), array(arrays.y.data(), {8})});
    CHECK_ERROR(WC_ERROR_FORMAT, ({"operation 2", "differ in number, size or alignment"}),
                arrays.recorder.finish());
}

TEST(modules_are_named_afterwards) {
    Arrays arrays;
    arrays.axpy();
    const Capture capture = arrays.recorder.finish();
    const Capture named = with_modules(capture, {{kModule, "kernels", "kernels.so", 0}}, {});
    CHECK_EQ(named.modules[0].binary_filename, std::string("kernels.so"));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"no module has the hash \"x\""}),
                with_modules(capture, {{"x", "k", "k.so", 0}}, {}));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"must be a plain one"}),
                with_modules(capture, {{kModule, "k", "../k.so", 0}}, {}));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"on the CPU it is 0"}),
                with_modules(capture, {{kModule, "k", "k.so", 90}}, {}));
    CHECK_ERROR(WC_ERROR_FORMAT, ({"target \"t\" occurs twice"}),
                with_modules(capture, {}, {{kModule, "t", "a.so", ""}, {kModule, "t", "b.so", ""}}));
    CHECK_ERROR(WC_ERROR_FORMAT, ({"its digest"}),
                with_modules(capture, {}, {{kModule, "t", "a.so", "abc"}}));
}

TEST(parameters_can_be_named_afterwards) {
    Arrays arrays;
    arrays.axpy();
    const Capture capture = arrays.recorder.finish();
    const Capture named =
        with_parameters(capture, {{"in", address(arrays.x.data() + 3)}}, {{"out", address(arrays.y.data())}});
    CHECK_EQ(named.bindings.at(0).region, 1u);
    CHECK_EQ(named.bindings.at(1).region, 2u);
    CHECK_EQ(named.input_count, 1u);
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"parameter \"q\"", "lies in no array"}),
                with_parameters(capture, {{"q", 8}}, {}));
}
