// Writing: what comes back is what went in, the same bytes every time, and sections that Warp's reader knows.
#include "check.hpp"
#include "reader.hpp"
#include "sample.hpp"
#include "writer.hpp"

using namespace whitecap;
using namespace sample;

namespace {

Capture read(const Bytes& bytes) {
    return read_capture(bytes.data(), bytes.size());
}

struct Span {
    std::uint64_t offset = 0, size = 0;
};

// Section `type` of a file, found with nothing of the library.
Span section(const Bytes& file, std::uint32_t type) {
    std::uint32_t count;
    std::memcpy(&count, file.data() + 12, 4);
    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint32_t found;
        std::memcpy(&found, file.data() + 64 + 32 * i, 4);
        if (found != type) continue;
        Span span;
        std::memcpy(&span.offset, file.data() + 64 + 32 * i + 8, 8);
        std::memcpy(&span.size, file.data() + 64 + 32 * i + 16, 8);
        return span;
    }
    return {};
}

Bytes section_bytes(const Bytes& file, std::uint32_t type) {
    const Span span = section(file, type);
    const auto start = file.begin() + static_cast<std::ptrdiff_t>(span.offset);
    return Bytes(start, start + static_cast<std::ptrdiff_t>(span.size));
}

// A capture with every operation that programs run, over memory of the test's own.
struct Rich {
    std::vector<float> a = std::vector<float>(12), b = std::vector<float>(12);
    std::vector<std::int32_t> counter{3}, ticks{0};

    Capture capture() {
        Recorder recorder = sample::recorder();
        recorder.region(address(a.data()), 48, 4);
        recorder.region(address(b.data()), 48, 4);
        recorder.region(address(counter.data()), 4, 4);
        recorder.region(address(ticks.data()), 4, 4);
        recorder.launch("stencil", kModule, {3, 4},
                        {array(a.data(), {3, 4}, Access::read), array(b.data(), {3, 4}, Access::write)});
        recorder.copy(address(a.data()), address(b.data()), 48);
        recorder.memset(address(b.data() + 2), 0x5a, 8);
        recorder.tile(address(b.data()), Bytes(4, std::byte{7}), 12);
        recorder.begin_branch();
        recorder.launch("countdown", kModule, {1}, {array(counter.data(), {1}), array(ticks.data(), {1})});
        recorder.end_branch();
        recorder.conditional(address(counter.data()), true, 1);
        recorder.begin_branch();
        recorder.memset(address(a.data()), 0, 4);
        recorder.end_branch();
        recorder.begin_branch();
        recorder.memset(address(a.data()), 1, 4);
        recorder.end_branch();
        recorder.conditional(address(counter.data()), false, 2);
        recorder.binding("a", address(a.data()), false);
        recorder.binding("b", address(b.data()), true);
        Capture capture = recorder.finish();
        capture.modules[0].binary_filename = "kernels.so";
        capture.alternatives = {{kModule, "x86_64_v3", "kernels.v3.so", std::string(64, 'a')}};
        return capture;
    }
};

}  // namespace

TEST(the_worked_example_re_encoded_keeps_its_sections) {
    const Bytes original = worked_example();
    const Bytes again = write_capture(read(original));
    CHECK(section_bytes(original, 1) == section_bytes(again, 1));
    CHECK(section_bytes(original, 2) == section_bytes(again, 2));
    Bytes operations = section_bytes(original, 3);  // the only difference: stale pointers are zero
    for (std::size_t array : {at::kValues + 8, at::kValues + 64})
        std::memset(operations.data() + (array - at::kOperations), 0, 8);
    CHECK(operations == section_bytes(again, 3));
    CHECK_EQ(again.size(), original.size());  // nothing of ours to say: no extension section
    CHECK_EQ(section(again, 0x50414357).size, std::uint64_t{0});
}

TEST(a_written_file_read_and_written_again_is_the_same) {
    Rich rich;
    const Bytes first = write_capture(rich.capture());
    CHECK(write_capture(read(first)) == first);
}

TEST(the_same_program_at_other_addresses_gives_the_same_bytes) {
    Rich one;
    const std::vector<float> in_between(1000);
    Rich two;
    CHECK(write_capture(one.capture()) == write_capture(two.capture()));
}

TEST(a_round_trip_keeps_every_operation) {
    Rich rich;
    const Capture before = rich.capture();
    const Capture after = read(write_capture(before));
    CHECK_EQ(after.operations.size(), before.operations.size());
    CHECK_EQ(launch_count(after.operations), std::size_t{2});
    const auto& launch = std::get<Launch>(after.operations[0].op);
    CHECK_EQ(launch.shape[1], 4u);
    CHECK_EQ(launch.size, std::uint64_t{12});
    CHECK(launch.arguments[0].access == Access::read);
    CHECK(launch.arguments[1].access == Access::write);
    CHECK_EQ(std::get<MemoryCopy>(after.operations[1].op).size, std::uint64_t{48});
    CHECK_EQ(std::get<MemorySet>(after.operations[2].op).offset, std::uint64_t{8});
    CHECK_EQ(std::get<MemoryTile>(after.operations[3].op).count, std::uint64_t{12});
    CHECK(std::get<Conditional>(after.operations[4].op).loop);
    CHECK_EQ(std::get<Conditional>(after.operations[5].op).branch_b.size(), std::size_t{1});
}

TEST(the_extension_keeps_producer_inputs_alternatives_and_access) {
    Rich rich;
    const Capture after = read(write_capture(rich.capture()));
    CHECK_EQ(after.whitecap_producer, std::string("whitecap " WHITECAP_VERSION));
    CHECK_EQ(after.producer, std::string("1.19.0"));
    CHECK_EQ(after.input_count, 1u);
    CHECK_EQ(after.alternatives.at(0).target, std::string("x86_64_v3"));
    CHECK_EQ(after.alternatives.at(0).digest, std::string(64, 'a'));
}

TEST(damaged_extensions_are_refused_and_absent_ones_are_fine) {
    Rich rich;
    const Bytes file = write_capture(rich.capture());
    const Span extension = section(file, 0x50414357);
    CHECK(extension.size > 0);
    const std::size_t start = static_cast<std::size_t>(extension.offset),
                      flags = start + static_cast<std::size_t>(extension.size) - 4 - 64 -
                              4;  // 4 flags, 4 + 64 digest
    const std::size_t inputs = start + 8 + std::string("whitecap " WHITECAP_VERSION).size();
    CHECK_ERROR(WC_ERROR_FORMAT, ({"extension version 0"}), read(patched(file, start, 0u)));
    CHECK_ERROR(WC_ERROR_FORMAT, ({"producer needs"}), read(patched(file, start + 4, 0xffffffffu)));
    CHECK_ERROR(WC_ERROR_FORMAT, ({"producer is not a text"}),
                read(patched(file, start + 8, std::uint8_t{0xff})));
    CHECK_ERROR(WC_ERROR_FORMAT, ({"3 inputs among 2 bindings"}), read(patched(file, inputs, 3u)));
    CHECK_ERROR(WC_ERROR_FORMAT, ({"module alternatives is more than"}),
                read(patched(file, inputs + 4, 0xffffffffu)));
    CHECK_ERROR(WC_ERROR_FORMAT, ({"not the one that was saved"}),
                read(patched(file, inputs + 12, std::uint8_t{'x'})));
    CHECK_ERROR(WC_ERROR_FORMAT, ({"access flags for 4 launch arguments"}),
                read(patched(file, flags - 4, 5u)));
    CHECK_ERROR(WC_ERROR_FORMAT, ({"access flag 4, allowed are 0 to 3"}),
                read(patched(file, flags + 3, std::uint8_t{4})));
    // Fewer bytes for the section than it needs, and more.
    Bytes shorter = patched(file, 64 + 3 * 32 + 16, extension.size - 1);
    shorter = patched(shorter, 64 + 3 * 32 + 24, extension.size - 1);
    CHECK_ERROR(WC_ERROR_FORMAT, ({"digest of the program needs 64 bytes, 63 are left"}), read(shorter));
    Bytes longer = patched(file, 64 + 3 * 32 + 16, extension.size + 1);
    longer = patched(longer, 64 + 3 * 32 + 24, extension.size + 1);
    longer.push_back(std::byte{0});
    CHECK_ERROR(WC_ERROR_FORMAT, ({"1 bytes follow the digest"}), read(longer));
    CHECK_ERROR(WC_ERROR_FORMAT, ({"not the one that was saved (its SHA-256 differs)"}),
                read(patched(file, flags + 1, std::uint8_t{1})));
    CHECK_ERROR(WC_ERROR_FORMAT, ({"not the one that was saved"}),
                read(patched(file, flags + 8, std::uint8_t{'x'})));
    // By a later release: the plain sections are enough.
    const Capture later = read(patched(file, start, 2u));
    CHECK(later.whitecap_producer.empty());
    CHECK_EQ(later.input_count, 2u);
    // Another type id: skipped, as other readers do.
    const Capture without = read(patched(file, 64 + 3 * 32, 99u));
    CHECK(without.whitecap_producer.empty());
    CHECK_EQ(without.input_count, 2u);
    CHECK(std::get<Launch>(without.operations[0].op).arguments[0].access == Access::unknown);
}

TEST(any_changed_bit_of_the_program_is_noticed) {
    Rich rich;
    const Bytes file = write_capture(rich.capture());
    for (std::uint32_t type : {1u, 3u, 0x50414357u}) {
        const Span part = section(file, type);
        const std::uint64_t first =
            type == 0x50414357u ? 8 * 4 : 0;  // a later version is skipped, not noticed
        for (std::uint64_t i = first; i < 8 * part.size; ++i) {
            Bytes damaged = file;
            damaged[static_cast<std::size_t>(part.offset + i / 8)] ^= static_cast<std::byte>(1 << i % 8);
            try {
                read(damaged);
                check::fail(__FILE__, static_cast<int>(i), "a changed bit went unnoticed");
            } catch (const Error&) {
            }
        }
    }
}

TEST(modules_and_kernels_are_written_in_order) {
    Rich rich;
    Capture capture = rich.capture();
    std::swap(capture.kernels.front(), capture.kernels.back());
    Rich same;
    CHECK(write_capture(capture) == write_capture(same.capture()));
}

TEST(a_capture_without_module_files_cannot_be_saved) {
    Rich rich;
    Capture capture = rich.capture();
    capture.modules[0].binary_filename.clear();
    CHECK_ERROR(WC_ERROR_STATE, ({"module \"kernels\" has no binary file yet", "with_modules"}),
                write_capture(capture));
}

TEST(what_breaks_a_rule_is_not_written) {
    Rich rich;
    Capture capture = rich.capture();
    std::get<MemoryCopy>(capture.operations[1].op).size = 49;
    CHECK_ERROR(WC_ERROR_FORMAT, ({"operation 2", "49 bytes at 0"}), write_capture(capture));
}

TEST(retargeting_to_cuda_and_back_gives_the_same_program) {
    Rich rich;
    const Capture cpu = rich.capture();
    const Capture cuda = retarget(cpu, DeviceType::cuda, 90);
    CHECK(cuda.device == DeviceType::cuda);
    CHECK_EQ(cuda.kernels[1].forward_name, std::string("stencil_00000002_cuda_kernel_forward"));
    CHECK_EQ(cuda.kernels[1].block_dim, 256u);
    const auto& launch = std::get<Launch>(cuda.operations[0].op);
    CHECK_EQ(launch.block_dim, 256);
    CHECK_EQ(launch.grid_stride, 0);
    const auto& loop = std::get<Conditional>(cuda.operations[4].op);
    CHECK_EQ(std::get<Launch>(loop.branch_a[0].op).block_dim, 256);
    CHECK_EQ(read(write_capture(cuda)).target_arch, 90u);
    CHECK(write_capture(retarget(cuda, DeviceType::cpu, 0)) == write_capture(cpu));
}

TEST(retargeting_refuses_what_it_cannot_know) {
    Rich rich;
    const Capture cpu = rich.capture();
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"architecture 0 given for CUDA", "90 for sm_90"}),
                retarget(cpu, DeviceType::cuda, 0));
    CHECK_ERROR(WC_ERROR_ARGUMENT, ({"architecture 90 given for the CPU"}),
                retarget(cpu, DeviceType::cpu, 90));
    Capture odd = cpu;
    odd.kernels[0].forward_name = "run";
    CHECK_ERROR(WC_ERROR_UNSUPPORTED, ({"kernel symbol \"run\""}), retarget(odd, DeviceType::cuda, 90));
    Capture shared = retarget(cpu, DeviceType::cuda, 90);
    std::get<Launch>(shared.operations[0].op).smem_bytes = 1024;
    CHECK_ERROR(WC_ERROR_UNSUPPORTED, ({"1024 bytes of shared memory"}),
                retarget(shared, DeviceType::cpu, 0));
}

TEST(symbols_follow_the_naming_rule) {
    CHECK_EQ(symbol_for("a_1_cpu_forward", DeviceType::cuda), std::string("a_1_cuda_kernel_forward"));
    CHECK_EQ(symbol_for("a_1_cuda_kernel_backward", DeviceType::cpu), std::string("a_1_cpu_backward"));
    CHECK_EQ(symbol_for("a_1_cpu_forward", DeviceType::cpu), std::string("a_1_cpu_forward"));
    CHECK_EQ(symbol_for("", DeviceType::cuda), std::string());
    CHECK_ERROR(WC_ERROR_UNSUPPORTED, ({"_cpu_forward"}), symbol_for("_cpu_forward", DeviceType::cuda));
}
