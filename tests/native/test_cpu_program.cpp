// Replay on the CPU against plain loops; captures and module files for the player's tests.
#include "cpu_program.hpp"

#include <sys/stat.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "capture_edit.hpp"
#include "check.hpp"
#include "file.hpp"
#include "module_source.hpp"
#include "reader.hpp"
#include "sample.hpp"
#include "sha256.hpp"
#include "writer.hpp"

using namespace whitecap;
using namespace sample;

namespace {

Bytes kernels() {
    return read_file(TEST_KERNELS, 1 << 24);
}

MemoryModules modules() {
    MemoryModules source;
    source.add("kernels.so", kernels());
    return source;
}

Capture named(Recorder& recorder) {
    return with_modules(recorder.finish(), {{kModule, "kernels", "kernels.so", 0}}, {});
}

std::unique_ptr<Program> program_of(Capture capture, int threads = 0) {
    return make_cpu_program(std::make_shared<const Capture>(std::move(capture)), modules(), {threads, false});
}

// Read back from its own bytes, so that the program owns its regions.
Capture reloaded(const Capture& capture) {
    const Bytes bytes = write_capture(capture);
    return read_capture(bytes.data(), bytes.size());
}

float stencil_at(const std::vector<float>& field, int rows, int columns, int i, int j) {
    const auto at = [&](int r, int c) {
        r = std::min(std::max(r, 0), rows - 1), c = std::min(std::max(c, 0), columns - 1);
        return field[static_cast<std::size_t>(r * columns + c)];
    };
    return 0.25f * (((at(i, j - 1) + at(i, j + 1)) + at(i - 1, j)) + at(i + 1, j));
}

std::vector<float> ramp(std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<float>(i) * 0.37f);
    return values;
}

struct Field {
    int rows, columns;
    std::vector<float> field, next, scale{1.0f};

    Field(int rows, int columns)
        : rows(rows),
          columns(columns),
          field(ramp(static_cast<std::size_t>(rows * columns))),
          next(field.size()) {}

    Capture capture() {
        Recorder recorder = sample::recorder();
        recorder.region(address(field.data()), field.size() * 4, 4);
        recorder.region(address(next.data()), next.size() * 4, 4);
        recorder.region(address(scale.data()), 4, 4);
        const std::vector<std::uint64_t> shape{static_cast<std::uint64_t>(rows),
                                               static_cast<std::uint64_t>(columns)};
        const auto argument = [&](std::vector<float>& data) { return array(data.data(), {rows, columns}); };
        recorder.launch("stencil", kModule, shape, {argument(field), argument(next)});
        recorder.launch("scale", kModule, shape, {argument(next), array(scale.data(), {1})});
        recorder.copy(address(field.data()), address(next.data()), field.size() * 4);
        recorder.binding("field", address(field.data()), false);
        recorder.binding("scale", address(scale.data()), false);
        recorder.binding("field_out", address(field.data()), true);
        return named(recorder);
    }
};

std::vector<float> parameter(Program& program, const std::string& name, std::size_t count) {
    std::vector<float> values(count);
    program.get_parameter(name, values.data(), count * sizeof(float));
    return values;
}

void write_file(const std::string& path, const Bytes& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void save(const Capture& capture, const std::string& stem) {
    const std::string folder = std::string(TEST_FILES) + "/" + stem;
    mkdir((folder + "_modules").c_str(), 0777);
    write_file(folder + "_modules/kernels.so", kernels());
    write_file(folder + ".wrp", write_capture(capture));
}

}  // namespace

TEST(files_for_the_tests_of_the_player_are_written) {
    Field stencil(40, 30);
    save(stencil.capture(), "stencil");
    Field overflow(8, 8);
    overflow.scale[0] = std::numeric_limits<float>::max();
    save(overflow.capture(), "overflow");
    Layout npy;
    const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (9,)}";
    npy.raw("\x93NUMPY\x01").u8(0).u16(static_cast<unsigned>(header.size())).raw(header).zeros(9);
    write_file(std::string(TEST_FILES) + "/nine.npy", npy.done());
}

TEST(axpy_gives_the_worked_examples_numbers) {
    std::vector<float> x{0, 1, 2, 3}, y{1, 1, 1, 1};
    Recorder recorder = sample::recorder();
    recorder.region(address(x.data()), 16, 4);
    recorder.region(address(y.data()), 16, 4);
    recorder.launch("axpy", kModule, {4}, {scalar(2.0f), array(x.data(), {4}), array(y.data(), {4})});
    const auto program = program_of(named(recorder));
    CHECK_EQ(y[3], 1.0f);  // nothing ran while recording
    program->launch();
    CHECK(y == (std::vector<float>{1, 3, 5, 7}));  // a live capture works on the caller's arrays
    program->launch();
    CHECK(y == (std::vector<float>{1, 5, 9, 13}));
}

TEST(a_loaded_capture_has_memory_of_its_own_and_keeps_state) {
    Field data(13, 7);
    const Capture capture = data.capture();
    const auto loaded = program_of(reloaded(capture));
    const std::vector<float> start = data.field;
    loaded->launch();
    loaded->launch();
    CHECK(data.field == start);
    const auto live = program_of(capture);
    live->launch();
    live->launch();
    CHECK(parameter(*loaded, "field_out", start.size()) == data.field);
    CHECK_EQ(loaded->memory_bytes(), std::uint64_t{13 * 7 * 8 + 4});
}

TEST(the_stencil_matches_a_plain_loop) {
    for (const auto& [rows, columns] : {std::pair{97, 131}, {1, 300}, {300, 1}, {2, 2}, {1, 1}}) {
        Field data(rows, columns);
        const std::vector<float> before = data.field;
        program_of(data.capture())->launch();
        bool same = true;
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < columns; ++j) {
                same = same && data.field[static_cast<std::size_t>(i * columns + j)] ==
                                   stencil_at(before, rows, columns, i, j);
            }
        }
        CHECK(same);
    }
}

TEST(any_number_of_threads_gives_the_same_bits) {
    std::vector<float> expected;
    for (int threads : {1, 2, 3, 8, 0}) {
        Field data(257, 301);
        const auto program = program_of(data.capture(), threads);
        for (int frame = 0; frame < 20; ++frame) program->launch();
        if (expected.empty()) expected = data.field;
        CHECK(std::memcmp(expected.data(), data.field.data(), expected.size() * 4) == 0);
    }
}

TEST(inputs_may_change_between_launches) {
    Field data(5, 5);
    const auto program = program_of(reloaded(data.capture()));
    const float zero = 0.0f;
    program->set_parameter("scale", &zero, 4);
    program->launch();
    CHECK(parameter(*program, "field_out", 25) == std::vector<float>(25, 0.0f));
    const std::vector<float> ones(25, 1.0f);
    const float two = 2.0f;
    program->set_parameter("field", ones.data(), 100);
    program->set_parameter("scale", &two, 4);
    program->launch();
    CHECK(parameter(*program, "field_out", 25) == std::vector<float>(25, 2.0f));
}

TEST(parameters_that_do_not_fit_are_refused) {
    Field data(5, 5);
    const auto program = program_of(data.capture());
    float value = 0;
    CHECK_ERROR(WC_ERROR_PARAMETER, ({"\"field\": 4 bytes given, it has 100"}),
                program->set_parameter("field", &value, 4));
    CHECK_ERROR(WC_ERROR_PARAMETER, ({"\"waves\" does not exist; the capture has field, scale, field_out"}),
                program->get_parameter("waves", &value, 4));
}

TEST(ranks_shapes_and_multiplied_sizes_reach_the_kernel) {
    const std::uint64_t size = 3 * 4 * 5 * 2;  // two threads share each coordinate
    for (int threads : {1, 3}) {
        std::vector<std::int32_t> out(size);
        Recorder recorder = sample::recorder();
        recorder.region(address(out.data()), size * 4, 4);
        recorder.launch("index3", kModule, {3, 4, 5}, {array(out.data(), {static_cast<std::int32_t>(size)})},
                        size);
        program_of(named(recorder), threads)->launch();
        CHECK_EQ(out.front(), 0);
        CHECK_EQ(out[2], 1);
        CHECK_EQ(out.back(), 20304);
        CHECK_EQ(out[size - 11], 20204);
    }
}

TEST(memory_operations_do_what_they_say) {
    std::vector<std::uint8_t> bytes(64, 1);
    Recorder recorder = sample::recorder();
    recorder.region(address(bytes.data()), 64, 1);
    recorder.memset(address(bytes.data()), 0x1ab, 4);
    recorder.tile(address(bytes.data() + 4), {std::byte{1}, std::byte{2}, std::byte{3}}, 5);
    recorder.tile(address(bytes.data() + 19), {std::byte{9}}, 3);
    recorder.copy(address(bytes.data() + 32), address(bytes.data()), 22);
    program_of(named(recorder))->launch();
    CHECK_EQ(bytes[3], 0xab);
    CHECK_EQ(bytes[4], 1);
    CHECK_EQ(bytes[18], 3);
    CHECK_EQ(bytes[21], 9);
    CHECK_EQ(bytes[22], 1);
    CHECK(std::memcmp(bytes.data(), bytes.data() + 32, 22) == 0);
}

TEST(long_tiles_repeat_their_value_to_the_end) {
    std::vector<float> values(50001);
    const float pattern[3] = {1, 2, 3};
    Recorder recorder = sample::recorder();
    recorder.region(address(values.data()), values.size() * 4, 4);
    const auto* bytes = reinterpret_cast<const std::byte*>(pattern);
    recorder.tile(address(values.data()), Bytes(bytes, bytes + 12), values.size() / 3);
    program_of(named(recorder))->launch();
    bool same = true;
    for (std::size_t i = 0; i < values.size(); ++i) same = same && values[i] == pattern[i % 3];
    CHECK(same);
}

namespace {

// while (counter) { --counter; ++ticks }, then if (ticks) flag = 1 else flag = 2
struct Loop {
    std::vector<std::int32_t> counter{0}, ticks{0}, flag{0};

    Capture capture() {
        Recorder recorder = sample::recorder();
        for (auto* data : {&counter, &ticks, &flag}) recorder.region(address(data->data()), 4, 4);
        recorder.begin_branch();
        recorder.launch("countdown", kModule, {1}, {array(counter.data(), {1}), array(ticks.data(), {1})});
        recorder.end_branch();
        recorder.conditional(address(counter.data()), true, 1);
        for (std::uint8_t value : {1, 2}) {
            recorder.begin_branch();
            recorder.tile(address(flag.data()), {std::byte{value}, std::byte{0}, std::byte{0}, std::byte{0}},
                          1);
            recorder.end_branch();
        }
        recorder.conditional(address(ticks.data()), false, 2);
        return named(recorder);
    }
};

}  // namespace

TEST(loops_run_while_their_condition_holds_and_branches_follow_theirs) {
    Loop loop;
    const auto program = program_of(loop.capture());
    program->launch();
    CHECK_EQ(loop.ticks[0], 0);
    CHECK_EQ(loop.flag[0], 2);
    loop.counter[0] = 1000;
    program->launch();
    CHECK_EQ(loop.ticks[0], 1000);
    CHECK_EQ(loop.counter[0], 0);
    CHECK_EQ(loop.flag[0], 1);
}

TEST(a_loop_that_never_ends_is_stopped) {
    Loop loop;
    loop.counter[0] = -1;  // counts down past 2^24 iterations
    const auto program = program_of(loop.capture());
    CHECK_ERROR(WC_ERROR_REPLAY, ({"16777216 iterations"}), program->launch());
}

TEST(uploads_are_written_at_every_launch) {
    Loop loop;
    Capture capture = loop.capture();
    capture.operations.insert(
        capture.operations.begin(),
        Operation{MemoryUpload{1, 0, {std::byte{5}, std::byte{0}, std::byte{0}, std::byte{0}}}});
    const auto program = program_of(capture);
    program->launch();
    program->launch();
    CHECK_EQ(loop.ticks[0], 10);
}

TEST(backward_launches_get_their_adjoints) {
    std::vector<float> x{1, 2}, y{0, 0}, adj_x{0, 0}, adj_y{3, 4};
    Recorder recorder = sample::recorder();
    for (auto* data : {&x, &y, &adj_x, &adj_y}) recorder.region(address(data->data()), 8, 4);
    recorder.launch("axpy", kModule, {2}, {scalar(2.0f), array(x.data(), {2}), array(y.data(), {2})});
    recorder.launch("axpy", kModule, {2}, {scalar(0.0f), array(adj_x.data(), {2}), array(adj_y.data(), {2})});
    Capture capture = named(recorder);
    auto& forward = std::get<Launch>(capture.operations[0].op);
    forward.forward = false;
    forward.adjoints = std::get<Launch>(capture.operations[1].op).arguments;
    capture.operations.pop_back();
    for (Kernel& kernel : capture.kernels)
        kernel.backward_name = kernel.key == "axpy" ? "axpy_00000001_cpu_backward" : "";
    program_of(capture)->launch();
    CHECK(adj_x == (std::vector<float>{6, 8}));
    CHECK(y == (std::vector<float>{0, 0}));
    program_of(reloaded(capture));
}

TEST(operations_that_cannot_run_are_refused_by_name) {
    const auto refuse = [](Operation operation, const std::string& name) {
        Loop loop;
        Capture capture = loop.capture();
        Conditional nested;
        nested.region = 1;
        nested.branch_a.push_back(std::move(operation));
        capture.operations.push_back({std::move(nested)});
        check::expect_error(__FILE__, __LINE__, WC_ERROR_UNSUPPORTED, {name, "on the CPU"},
                            [&] { program_of(capture); });
    };
    Layout runs = Layout().u32(13).u32(64).put(1).put(1).put(1).put(1).zeros(32).u32(1).zeros(4);
    refuse({OpaqueOp{13, runs.done()}}, "\"run-length encode\" (type 13)");
    Loop loop;
    Capture alloc = loop.capture();
    alloc.operations.push_back({OpaqueOp{6, Layout().u32(6).u32(24).put(1).zeros(12).done()}});
    program_of(alloc)->launch();  // asks for nothing
    CHECK_EQ(loop.flag[0], 2);
}

TEST(object_handles_and_meshes_are_refused) {
    Field data(3, 3);
    Capture handle = data.capture();
    auto& relocation = std::get<Launch>(handle.operations[0].op).arguments[0].relocations[1];
    relocation = {8, kNoRegion, 0x1234, RelocationKind::handle};
    CHECK_ERROR(WC_ERROR_UNSUPPORTED, ({"launch of \"stencil\"", "only Warp can make"}), program_of(handle));
    Capture mesh = data.capture();
    mesh.meshes.push_back({1, 1, 0, 0, 1, 1, 1, 0, 0});
    CHECK_ERROR(WC_ERROR_UNSUPPORTED, ({"meshes"}), program_of(mesh));
}

TEST(missing_and_altered_modules_are_refused) {
    Field data(3, 3);
    const auto shared = std::make_shared<const Capture>(data.capture());
    CHECK_ERROR(WC_ERROR_MODULE, ({"\"kernels.so\" is not among the 0"}),
                make_cpu_program(shared, MemoryModules()));
    CHECK_ERROR(WC_ERROR_MODULE, ({"/nowhere/kernels.so does not exist"}),
                make_cpu_program(shared, FolderModules("/nowhere")));
    const auto refuse = [&](Bytes bytes, const std::string& fragment) {
        MemoryModules source;
        source.add("kernels.so", std::move(bytes));
        check::expect_error(__FILE__, __LINE__, WC_ERROR_MODULE, {"\"kernels.so\"", fragment},
                            [&] { make_cpu_program(shared, source); });
    };
    const Bytes good = kernels();
    refuse({}, "is no shared library");
    refuse(Bytes(1000), "is no shared library");
    refuse(Bytes(good.begin(), good.begin() + 2000), "shorter than its headers say");
    refuse(patched(good, 18, std::uint16_t{8}), "another kind of processor");
    refuse(patched(good, 16, std::uint16_t{1}), "cannot be linked");
    refuse(patched(good, 16, std::uint16_t{2}), "is no shared library (ELF type 2)");
    refuse(patched(good, 32, ~std::uint64_t{0}), "shorter than its headers say");
    MemoryModules twice;
    twice.add("a", {});
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"given twice"}), twice.add("a", {}));
}

TEST(a_kernel_that_its_module_lacks_is_named) {
    Field data(3, 3);
    Capture capture = data.capture();
    for (Kernel& kernel : capture.kernels) kernel.forward_name += "x";
    CHECK_ERROR(WC_ERROR_SYMBOL, ({"kernel \"stencil\"", "no symbol \"stencil_00000002_cpu_forwardx\""}),
                program_of(capture));
}

TEST(the_best_alternative_that_is_there_is_loaded_and_its_digest_checked) {
    Field data(3, 3);
    const std::vector<float> start = data.field;
    Capture capture = data.capture();
    const Bytes good = kernels();
    const std::string digest = sha256_hex(good.data(), good.size());
#if defined(__x86_64__)
    const std::string base = "x86_64", other = "aarch64";
#else
    const std::string base = "aarch64", other = "x86_64";
#endif
    capture.alternatives = {{kModule, other, "other.so", ""}, {kModule, base, "base.so", digest}};
    capture.modules[0].binary_filename = "other.so";
    MemoryModules source;
    source.add("base.so", good);
    source.add("other.so", Bytes(10));
    make_cpu_program(std::make_shared<const Capture>(capture), source)->launch();
    CHECK(data.field != start);

    MemoryModules altered;
    Bytes changed = good;
    changed.push_back(std::byte{0});
    altered.add("base.so", changed);
    CHECK_ERROR(WC_ERROR_MODULE, ({"\"base.so\"", "SHA-256 differs"}),
                make_cpu_program(std::make_shared<const Capture>(capture), altered));

    MemoryModules only_other;
    only_other.add("other.so", good);
    CHECK_ERROR(WC_ERROR_MODULE, ({"\"base.so\" is not among the 1 that were given"}),
                make_cpu_program(std::make_shared<const Capture>(capture), only_other));

    capture.alternatives.pop_back();
    CHECK_ERROR(WC_ERROR_MODULE, ({"has binaries for", other, "this processor runs", base}),
                make_cpu_program(std::make_shared<const Capture>(capture), only_other));
}

TEST(thread_counts_outside_their_range_are_refused) {
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"threads: -1, allowed are 0"}), program_of(Field(3, 3).capture(), -1));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"threads: 257"}), program_of(Field(3, 3).capture(), 257));
}

TEST(a_capture_for_cuda_runs_here_when_its_module_is_here) {
    Field data(3, 3), same(3, 3);
    Capture cuda = retarget(data.capture(), DeviceType::cuda, 90);
#if defined(__x86_64__)
    cuda.alternatives = {{kModule, "x86_64", "kernels.so", ""}};
#else
    cuda.alternatives = {{kModule, "aarch64", "kernels.so", ""}};
#endif
    cuda.modules[0].binary_filename = "kernels.cubin";
    program_of(cuda)->launch();
    program_of(same.capture())->launch();
    CHECK(data.field == same.field);
}

TEST(more_memory_than_the_machine_has_is_refused_before_it_is_touched) {
    Field data(3, 3);
    Capture capture = data.capture();
    Region huge;
    huge.id = 1000;
    huge.size = std::uint64_t{1} << 45;
    capture.regions.push_back(huge);
    CHECK_ERROR(WC_ERROR_LIMIT, ({"region 1000 of 32.0 TiB"}), program_of(capture));
    capture.regions.back().size = (std::uint64_t{1} << 38) - 4096;
    if (physical_memory() < capture.regions.back().size) {
        CHECK_ERROR(WC_ERROR_MEMORY, ({"the capture needs", "this machine has"}), program_of(capture));
    }
}

TEST(regions_without_data_start_at_zero) {
    Field data(6, 6);
    Capture capture = reloaded(data.capture());
    for (Region& region : capture.regions) region.has_data = false, region.data = {};
    const auto program = program_of(capture);
    CHECK(parameter(*program, "field", 36) == std::vector<float>(36, 0.0f));
    CHECK_EQ(reinterpret_cast<std::uintptr_t>(program->region_pointer(1)) % 64, std::uintptr_t{0});
    CHECK(program->region_pointer(77) == nullptr);
}
