// The reader on good files and on damaged ones: container, metadata, memory.
#include "check.hpp"
#include "reader.hpp"
#include "sample.hpp"

using namespace whitecap;
using namespace sample;

namespace {

Capture read(const Bytes& bytes, const Limits& limits = {}) {
    return read_capture(bytes.data(), bytes.size(), limits);
}

// The worked example with four bytes changed must be refused with this text.
void refuse_u32(std::size_t offset, std::uint32_t value, const std::string& fragment,
                wc_error code = WC_ERROR_FORMAT) {
    const Bytes bytes = patched(worked_example(), offset, value);
    check::expect_error(__FILE__, static_cast<int>(offset), code, {fragment}, [&] { read(bytes); });
}

void refuse_u64(std::size_t offset, std::uint64_t value, const std::string& fragment,
                wc_error code = WC_ERROR_FORMAT) {
    const Bytes bytes = patched(worked_example(), offset, value);
    check::expect_error(__FILE__, static_cast<int>(offset), code, {fragment}, [&] { read(bytes); });
}

void refuse_u8(std::size_t offset, std::uint8_t value, const std::string& fragment,
               wc_error code = WC_ERROR_FORMAT) {
    const Bytes bytes = patched(worked_example(), offset, value);
    check::expect_error(__FILE__, static_cast<int>(offset), code, {fragment}, [&] { read(bytes); });
}

struct ModuleFields {
    std::string digest, source, source_digest;
    unsigned kind = 0, reason = 1;
    Bytes recipe = Bytes(16);
    std::string file = "m.cubin", hash = "hash";
    std::uint32_t arch = 90;
};

// A CUDA file with one module and nothing else.
Bytes cuda_file(const ModuleFields& module) {
    Layout metadata, out;
    metadata.u32(18).string("1.19.0").u32(90).u32(1).zeros(16);
    metadata.string(module.hash).string("m").string(module.file).u32(module.arch);
    metadata.string(module.digest).string(module.source).string(module.source_digest);
    metadata.u8(module.kind).u8(module.reason).bytes(module.recipe);
    out.raw("WRP1").u32(18).u32(0).u32(3).u64(64).u8(0).zeros(3).u32(90).zeros(32);
    out.u32(1).u32(0).u64(160).u64(metadata.size()).u64(metadata.size());
    out.u32(2).u32(0).u64(160 + metadata.size()).u64(4).u64(4);
    out.u32(3).u32(0).u64(164 + metadata.size()).u64(4).u64(4);
    return out.bytes(metadata.done()).zeros(8).done();
}

void refuse_module(const ModuleFields& module, const std::string& fragment) {
    check::expect_error(__FILE__, __LINE__, WC_ERROR_FORMAT, {"module \"m\"", fragment},
                        [&] { read(cuda_file(module)); });
}

}  // namespace

TEST(the_worked_example_has_the_size_and_fields_of_the_format_notes) {
    const Bytes bytes = worked_example();
    CHECK_EQ(bytes.size(), std::size_t{1014});
    const Capture capture = read(bytes);
    CHECK(capture.device == DeviceType::cpu);
    CHECK_EQ(capture.producer, std::string("1.19.0"));
    CHECK_EQ(capture.modules.size(), std::size_t{1});
    CHECK_EQ(capture.modules[0].binary_filename, std::string("wp___main___0f2414a.cpu202debe6.o"));
    CHECK_EQ(capture.kernels[0].forward_name, std::string("axpy_976fbc0d_cpu_forward"));
    CHECK_EQ(capture.kernels[0].block_dim, 1u);
    CHECK_EQ(capture.bindings[1].name, std::string("y"));
    CHECK_EQ(capture.bindings[1].region, 2u);
    CHECK_EQ(capture.input_count, 2u);  // the file does not say which are inputs
    CHECK_EQ(capture.regions[0].data.size(), std::size_t{16});
    const auto& launch = std::get<Launch>(capture.operations.at(0).op);
    CHECK_EQ(launch.kernel_key, std::string("axpy"));
    CHECK_EQ(launch.size, std::uint64_t{4});
    CHECK_EQ(launch.arguments.size(), std::size_t{3});
    CHECK_EQ(launch.arguments[0].value.size(), std::size_t{4});
    CHECK_EQ(launch.arguments[0].align, 4u);
    CHECK_EQ(launch.arguments[1].relocations[0].region, 1);
    CHECK(launch.arguments[1].relocations[1].kind == RelocationKind::null);
}

TEST(stale_pointers_are_dropped) {
    const Capture capture = read(worked_example());
    const auto& argument = std::get<Launch>(capture.operations[0].op).arguments[1];
    CHECK_EQ(static_cast<int>(argument.value[0]), 0);
    CHECK_EQ(static_cast<int>(argument.value[5]), 0);
}

TEST(a_file_cut_at_any_length_is_refused) {
    const Bytes whole = worked_example();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const Bytes bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        try {
            read(bytes);
            check::fail(__FILE__, static_cast<int>(size), "a cut file was accepted");
        } catch (const Error& error) {
            CHECK(error.code() == WC_ERROR_FORMAT);
        }
    }
}

TEST(headers_that_break_a_rule_are_refused) {
    refuse_u32(at::kMagic, 0x32505257, "not with \"WRP1\"");
    refuse_u32(at::kVersion, 17, "format version 17, this library reads version 18", WC_ERROR_VERSION);
    refuse_u32(at::kVersion, 19, "format version 19", WC_ERROR_VERSION);
    refuse_u32(at::kSections, 0, "0 sections, allowed are 1 to 64");
    refuse_u32(at::kSections, 65, "65 sections, allowed are 1 to 64");
    refuse_u32(at::kSections, 2, "there is no operations section");
    refuse_u64(at::kTable, 1015, "section table");
    refuse_u64(at::kTable, ~std::uint64_t{0}, "section table");
    refuse_u64(at::kTable, ~std::uint64_t{0} - 31, "section table");
    refuse_u8(at::kDevice, 2, "device type 2, allowed are 0 (CUDA) and 1 (CPU)");
    refuse_u32(at::kArch, 90, "architecture 90 in a CPU file");
    refuse_u8(at::kDevice, 0, "architecture 0 in a CUDA file");
}

TEST(flags_and_reserved_bytes_are_ignored) {
    Bytes bytes = patched(worked_example(), 8, 0xffffffffu);
    bytes = patched(bytes, 25, std::uint8_t{7});
    bytes = patched(bytes, 40, 0x12345678u);
    bytes = patched(bytes, at::kMetadataEntry + 4, 1u);
    CHECK_EQ(read(bytes).operations.size(), std::size_t{1});
}

TEST(section_tables_that_break_a_rule_are_refused) {
    refuse_u64(at::kMetadataEntry + 8, 2000, "outside the file of 1014 bytes");
    refuse_u64(at::kMetadataEntry + 8, ~std::uint64_t{0}, "outside the file");
    refuse_u64(at::kMetadataEntry + 16, ~std::uint64_t{0} - 100, "outside the file");
    refuse_u64(at::kMemoryEntry + 24, 85, "uncompressed size 85, which must equal its size 84");
    refuse_u32(at::kMemoryEntry, 1, "repeats type 1");
    refuse_u32(at::kMemoryEntry, 77, "there is no memory section");
    Bytes empty = patched(worked_example(), at::kOperationsEntry + 16, std::uint64_t{0});
    empty = patched(empty, at::kOperationsEntry + 24, std::uint64_t{0});
    CHECK_ERROR(WC_ERROR_FORMAT, ({"the operations section is empty"}), read(empty));
}

TEST(a_table_at_the_end_unknown_sections_gaps_and_trailing_bytes_are_accepted) {
    const Bytes example = worked_example();
    Layout out;
    out.bytes(Bytes(example.begin(), example.begin() + 64)).zeros(96);
    out.bytes(Bytes(example.begin() + 160, example.end())).zeros(5);
    const std::size_t table = out.size();
    out.u32(99).u32(0).u64(0).u64(10).u64(10);  // a type that nobody knows
    out.bytes(Bytes(example.begin() + 64, example.begin() + 160)).raw("more");
    Bytes bytes = patched(out.done(), at::kTable, std::uint64_t{table});
    bytes = patched(bytes, at::kSections, 4u);
    CHECK_EQ(read(bytes).kernels.size(), std::size_t{1});
}

TEST(metadata_that_breaks_a_rule_is_refused) {
    refuse_u32(at::kMetadata, 16, "metadata version 16", WC_ERROR_VERSION);
    refuse_u8(at::kProducer + 9, '1', "the file is for Warp \"1.19.1\"", WC_ERROR_VERSION);
    refuse_u32(at::kProducer, 5, "the file is for Warp \"1.19.\"", WC_ERROR_VERSION);
    refuse_u32(at::kProducer, 0xffffffff, "producer needs 4294967295 bytes");
    refuse_u32(at::kMetadataArch, 90, "architecture 90 differs from the header's 0");
    refuse_u32(at::kCounts, 2, "binary digest needs");  // the kernel read as a second module
    refuse_u32(at::kCounts, 1000, "module count is 1000");
    refuse_u32(at::kCounts + 4, 0xffffffff, "kernel count is 4294967295");
    refuse_u32(at::kCounts + 8, 1, "9 bytes follow the last record");
    refuse_u32(at::kCounts + 8, 3, "binding name needs 4 bytes, 0 are left");
    refuse_u32(at::kCounts + 12, 1, "mesh");
    refuse_u32(at::kCounts + 16, 100, "pointer location count is 100");
    refuse_u32(at::kModuleHash - 4, 63, "module name needs");
    refuse_u8(at::kModuleName, 0, "module name");
    refuse_u8(at::kModuleName, 0xff, "module name is not UTF-8");
    refuse_u8(at::kFile + 2, '/', "must be a plain name");
    refuse_u8(at::kFile + 2, '\\', "must be a plain name");
    refuse_u8(at::kFile + 2, ':', "must be a plain name");
    refuse_u32(at::kModuleArch, 90, "it has a CUDA architecture in a CPU file");
    refuse_u8(at::kKernelHash, 'f', "its module");
    refuse_u32(at::kBlock, 2000, "block size 2000 is above 1024");
    refuse_u32(at::kRegionOfX, 3, "binding \"x\": region 3 does not exist");
}

TEST(one_name_for_two_regions_is_allowed_and_the_later_one_counts) {
    const Capture capture = read(patched(worked_example(), at::kBindingY, std::uint8_t{'x'}));
    CHECK_EQ(capture.bindings.size(), std::size_t{2});
    CHECK_EQ(find_binding(capture, "x")->region, 2u);
}

TEST(dots_and_empty_names_are_no_module_files) {
    for (const char* name : {"", ".", "..", "../m.so", "a\\b"}) {
        ModuleFields module;
        module.file = name;
        refuse_module(module, "must be a plain name");
    }
}

TEST(memory_that_breaks_a_rule_is_refused) {
    refuse_u32(at::kRegions, 3, "region id needs 4 bytes, 0 are left");
    refuse_u32(at::kRegions, 0xffffffff, "region count is 4294967295");
    refuse_u32(at::kRegions, 1, "40 bytes follow the last region");
    refuse_u32(at::kRegion2, 1, "region id 1 occurs twice");
    refuse_u8(at::kRegion1 + 16, 2, "data flag 2, allowed are 0 and 1");
    refuse_u64(at::kRegion1 + 8, 1000, "the data of a region needs 1000 bytes");
    refuse_u64(at::kRegion1 + 8, std::uint64_t{1} << 40, "over the limit of 256.0 GiB", WC_ERROR_LIMIT);
    refuse_u64(at::kRegion1 + 8, ~std::uint64_t{0}, "over the limit", WC_ERROR_LIMIT);
    refuse_u32(at::kRegion2, 7, "region 2 does not exist");
}

TEST(region_zero_is_an_id_like_any_other) {
    Bytes bytes = patched(worked_example(), at::kRegion1, 0u);
    bytes = patched(bytes, at::kRegionOfX, 0u);
    bytes = patched(bytes, at::kRelocations + 4, 0);
    CHECK_EQ(read(bytes).regions[0].id, 0u);
}

TEST(regions_together_stay_under_the_memory_limit) {
    Limits limits;
    limits.memory_bytes = 32;
    CHECK_EQ(read(worked_example(), limits).regions.size(), std::size_t{2});
    limits.memory_bytes = 31;
    CHECK_ERROR(WC_ERROR_LIMIT, ({"region 2 of 16 B"}), read(worked_example(), limits));
}

TEST(counts_stay_under_their_limits) {
    Limits limits;
    limits.records = 1;
    CHECK_ERROR(WC_ERROR_LIMIT, ({"binding count is 2, more than the limit of 1"}),
                read(worked_example(), limits));
    limits = {};
    limits.modules = 0;
    CHECK_ERROR(WC_ERROR_LIMIT, ({"module count is 1"}), read(worked_example(), limits));
    limits = {};
    limits.operations = 0;
    CHECK_ERROR(WC_ERROR_LIMIT, ({"more than 0 operations"}), read(worked_example(), limits));
    limits = {};
    limits.file_bytes = 1013;
    CHECK_ERROR(WC_ERROR_LIMIT, ({"more than the limit"}), read(worked_example(), limits));
}

TEST(cuda_modules_follow_the_artifact_rules) {
    const std::string digest(64, 'a');
    CHECK_EQ(read(cuda_file({})).modules[0].arch, 90u);
    ModuleFields good;
    good.digest = digest;
    good.kind = 2;
    CHECK_EQ(read(cuda_file(good)).modules[0].binary_digest, digest);

    ModuleFields no_hash;
    no_hash.hash = "";
    refuse_module(no_hash, "its hash is empty");
    ModuleFields no_arch;
    no_arch.arch = 0;
    refuse_module(no_arch, "no architecture in a CUDA file");
    ModuleFields kind;
    kind.kind = 2;
    refuse_module(kind, "without a binary digest");
    ModuleFields upper = good;
    upper.digest = std::string(64, 'A');
    refuse_module(upper, "64 lowercase hex digits");
    ModuleFields shorter = good;
    shorter.digest = std::string(63, 'a');
    refuse_module(shorter, "64 lowercase hex digits");
    ModuleFields suffix = good;
    suffix.kind = 1;
    refuse_module(suffix, "file name does not end as its binary kind asks");
    ModuleFields no_kind = good;
    no_kind.kind = 0;
    refuse_module(no_kind, "binary kind must be 1");
    ModuleFields reason = good;
    reason.reason = 7;
    refuse_module(reason, "fallback reason is above 6");
    ModuleFields available = good;
    available.reason = 0;
    refuse_module(available, "fallback reason 0 needs a source file");
    ModuleFields half = good;
    half.source = "m.cu";
    refuse_module(half, "come together or not at all");
    ModuleFields source = good;
    source.source_digest = digest;
    source.source = "m.cpp";
    refuse_module(source, "does not end in .cu");
    source.source = "../m.cu";
    refuse_module(source, "source file name is not a plain one");
    source.source = "m.cu";
    CHECK_EQ(read(cuda_file(source)).modules[0].source_filename, std::string("m.cu"));
    for (const auto& [index, value] : {std::pair{0, 2}, {1, 4}, {3, 2}, {6, 3}}) {
        ModuleFields recipe = good;
        recipe.recipe[static_cast<std::size_t>(index)] = static_cast<std::byte>(value);
        refuse_module(recipe, "a value that is not allowed");
    }
    ModuleFields reserved = good;
    reserved.recipe[15] = std::byte{1};
    refuse_module(reserved, "reserved bytes");
    ModuleFields family = good;
    family.recipe[6] = std::byte{2};
    refuse_module(family, "needs sm_100");
    ModuleFields specific = good;
    specific.recipe[6] = std::byte{1};
    specific.arch = 89;
    refuse_module(specific, "needs sm_90");
}

TEST(messages_name_the_offset) {
    CHECK_ERROR(WC_ERROR_FORMAT, ({"memory, offset 0x216"}),
                read(patched(worked_example(), at::kRegion1 + 16, std::uint8_t{9})));
}

TEST(a_missing_file_and_a_folder_are_io_errors_that_name_the_path) {
    CHECK_ERROR(WC_ERROR_IO, ({"/nowhere/wave.wrp: cannot be opened: No such file"}),
                read_capture_file("/nowhere/wave"));
    CHECK_ERROR(WC_ERROR_IO, ({"cannot be opened"}), read_capture_file(""));
}

TEST(paths_get_their_suffix_and_modules_folder) {
    CHECK_EQ(wrp_path("a/wave"), std::string("a/wave.wrp"));
    CHECK_EQ(wrp_path("a/wave.wrp"), std::string("a/wave.wrp"));
    CHECK_EQ(wrp_path("wave.WRP"), std::string("wave.WRP.wrp"));
    CHECK_EQ(modules_folder("a/wave"), std::string("a/wave_modules"));
    CHECK_EQ(modules_folder("a/wave.wrp"), std::string("a/wave_modules"));
}
