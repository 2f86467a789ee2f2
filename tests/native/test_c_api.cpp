// The C API: loading, replay, introspection, and what it says when something is wrong. Files come from the
// capture that the test makes itself.
#include <string>
#include <thread>

#include "capture_edit.hpp"
#include "check.hpp"
#include "file.hpp"
#include "sample.hpp"
#include "whitecap/apic.h"
#include "whitecap/whitecap.h"
#include "writer.hpp"

using namespace sample;

namespace {

// y += 2 x over four floats, as bytes.
const Bytes& capture_bytes() {
    static const Bytes bytes = [] {
        std::vector<float> x{0, 1, 2, 3}, y{1, 1, 1, 1};
        whitecap::Recorder recorder = sample::recorder();
        recorder.region(address(x.data()), 16, 4);
        recorder.region(address(y.data()), 16, 4);
        recorder.launch("axpy", kModule, {4}, {scalar(2.0f), array(x.data(), {4}), array(y.data(), {4})});
        recorder.binding("x", address(x.data()), false);
        recorder.binding("y", address(y.data()), true);
        return whitecap::write_capture(
            with_modules(recorder.finish(), {{kModule, "kernels", "kernels.so", 0}}, {}));
    }();
    return bytes;
}

const Bytes& kernels() {
    static const Bytes bytes = whitecap::read_file(TEST_KERNELS, 1 << 24);
    return bytes;
}

wc_graph* load_from_memory() {
    const wc_module_bytes module = {"kernels.so", kernels().data(), kernels().size()};
    wc_load_desc desc = {};
    desc.data = capture_bytes().data();
    desc.size = capture_bytes().size();
    desc.modules = &module;
    desc.module_count = 1;
    return wc_load(&desc);
}

void expect_failure(int line, bool failed, wc_error code, const std::string& fragment) {
    const std::string message = wc_last_error_message();
    if (!failed) check::fail(__FILE__, line, "nothing failed, expected " + fragment);
    if (wc_last_error() != code)
        check::fail(__FILE__, line, std::string("got ") + wc_error_name(wc_last_error()) + ": " + message);
    if (message.find(fragment) == std::string::npos)
        check::fail(__FILE__, line, "no \"" + fragment + "\" in: " + message);
}

#define EXPECT_FAILURE(failed, code, fragment) expect_failure(__LINE__, failed, code, fragment)

}  // namespace

TEST(a_graph_from_memory_runs) {
    wc_graph* graph = load_from_memory();
    CHECK(graph != nullptr);
    CHECK_EQ(wc_last_error(), WC_OK);
    CHECK_EQ(wc_launch(graph, nullptr), WC_OK);
    CHECK_EQ(wc_synchronize(graph), WC_OK);
    float y[4] = {};
    CHECK_EQ(wc_get_param(graph, "y", y, sizeof y, nullptr), WC_OK);
    CHECK(y[0] == 1 && y[1] == 3 && y[2] == 5 && y[3] == 7);
    const float x[4] = {10, 10, 10, 10};
    CHECK_EQ(wc_set_param(graph, "x", x, sizeof x, nullptr), WC_OK);
    CHECK_EQ(wc_launch(graph, nullptr), WC_OK);
    CHECK(static_cast<const float*>(wc_param_pointer(graph, "y"))[0] == 21);
    wc_destroy(graph);
}

TEST(a_graph_describes_itself) {
    wc_graph* graph = load_from_memory();
    CHECK_EQ(wc_param_count(graph), std::size_t{2});
    CHECK_EQ(std::string(wc_param_name(graph, 1)), std::string("y"));
    CHECK(wc_param_name(graph, 2) == nullptr);
    CHECK_EQ(wc_param_size(graph, "x"), std::size_t{16});
    CHECK_EQ(wc_param_is_output(graph, "x"), 0);
    CHECK_EQ(wc_param_is_output(graph, "y"), 1);
    CHECK_EQ(wc_launch_count(graph), std::size_t{1});
    CHECK_EQ(wc_graph_device(graph), WC_DEVICE_CPU);
    CHECK_EQ(wc_memory_bytes(graph), std::uint64_t{32});
    wc_destroy(graph);
}

TEST(wrong_parameters_are_refused) {
    wc_graph* graph = load_from_memory();
    float value = 0;
    EXPECT_FAILURE(wc_param_size(graph, "z") == 0, WC_ERROR_PARAMETER,
                   "\"z\" does not exist; the capture has x, y");
    EXPECT_FAILURE(wc_param_is_output(graph, "z") == -1, WC_ERROR_PARAMETER, "does not exist");
    EXPECT_FAILURE(wc_param_pointer(graph, "z") == nullptr, WC_ERROR_PARAMETER, "does not exist");
    EXPECT_FAILURE(wc_set_param(graph, "x", &value, 4, nullptr) != WC_OK, WC_ERROR_PARAMETER,
                   "4 bytes given, it has 16");
    EXPECT_FAILURE(wc_get_param(graph, "x", nullptr, 16, nullptr) != WC_OK, WC_ERROR_ARGUMENT,
                   "data is NULL");
    EXPECT_FAILURE(wc_set_param(graph, nullptr, &value, 4, nullptr) != WC_OK, WC_ERROR_ARGUMENT,
                   "name is NULL");
    CHECK_EQ(wc_launch(graph, nullptr), WC_OK);
    CHECK_EQ(std::string(wc_last_error_message()), std::string());  // a success clears it
    wc_destroy(graph);
}

TEST(null_graphs_are_refused_or_empty) {
    EXPECT_FAILURE(wc_launch(nullptr, nullptr) != WC_OK, WC_ERROR_ARGUMENT, "wc_launch: graph is NULL");
    EXPECT_FAILURE(wc_load(nullptr) == nullptr, WC_ERROR_ARGUMENT, "wc_load: desc is NULL");
    CHECK_EQ(wc_param_count(nullptr), std::size_t{0});
    CHECK(wc_param_name(nullptr, 0) == nullptr);
    CHECK_EQ(wc_launch_count(nullptr), std::size_t{0});
    wc_destroy(nullptr);
}

TEST(descriptions_that_make_no_sense_are_refused) {
    const auto refuse = [](int line, const wc_load_desc& desc, wc_error code, const char* fragment) {
        expect_failure(line, wc_load(&desc) == nullptr, code, fragment);
    };
    wc_load_desc desc = {};
    refuse(__LINE__, desc, WC_ERROR_ARGUMENT, "give exactly one");
    desc.path = "a.wrp";
    desc.data = capture_bytes().data();
    desc.size = capture_bytes().size();
    refuse(__LINE__, desc, WC_ERROR_ARGUMENT, "give exactly one");
    desc.path = nullptr;
    refuse(__LINE__, desc, WC_ERROR_MODULE, "\"kernels.so\" is not among the 0 that were given");
    desc.module_count = 1;
    refuse(__LINE__, desc, WC_ERROR_ARGUMENT, "module_count is 1 and modules is NULL");
    const wc_module_bytes nameless = {nullptr, kernels().data(), 1};
    desc.modules = &nameless;
    refuse(__LINE__, desc, WC_ERROR_ARGUMENT, "the file name of a module is NULL");
    const wc_module_bytes twice[2] = {{"kernels.so", kernels().data(), kernels().size()},
                                      {"kernels.so", kernels().data(), 4}};
    desc.modules = twice;
    desc.module_count = 2;
    refuse(__LINE__, desc, WC_ERROR_ARGUMENT, "was given twice");
    desc.module_count = 1;
    desc.modules_folder = "/tmp";
    refuse(__LINE__, desc, WC_ERROR_ARGUMENT, "give one");
    desc.modules_folder = nullptr;
    desc.device = static_cast<wc_device>(7);
    refuse(__LINE__, desc, WC_ERROR_ARGUMENT, "device 7");
    desc.device = WC_DEVICE_DEFAULT;
    desc.threads = 1000;
    refuse(__LINE__, desc, WC_ERROR_ARGUMENT, "threads: 1000");
    desc.threads = 0;
    desc.memory_limit = 31;
    refuse(__LINE__, desc, WC_ERROR_LIMIT, "over the limit of 31 B");
    desc.memory_limit = 0;
    desc.size = 100;
    refuse(__LINE__, desc, WC_ERROR_FORMAT, "section table");
    wc_load_desc absent = {};
    absent.path = "/nowhere/wave";
    refuse(__LINE__, absent, WC_ERROR_IO, "/nowhere/wave.wrp: cannot be opened");
}

TEST(functions_for_cuda_are_refused_on_a_cpu_graph) {
    wc_graph* graph = load_from_memory();
    EXPECT_FAILURE(wc_cuda_graph(graph) == nullptr, WC_ERROR_UNSUPPORTED, "this needs a CUDA graph");
    EXPECT_FAILURE(wc_cuda_stream(graph) == nullptr, WC_ERROR_UNSUPPORTED, "this needs a CUDA graph");
    EXPECT_FAILURE(wc_cuda_add_to_capture(graph, graph) != WC_OK, WC_ERROR_UNSUPPORTED,
                   "this needs a CUDA graph");
    EXPECT_FAILURE(wp_apic_get_cuda_graph_exec(graph) == nullptr, WC_ERROR_UNSUPPORTED,
                   "this needs a CUDA graph");
    wc_destroy(graph);
}

TEST(errors_belong_to_their_thread) {
    wc_launch(nullptr, nullptr);
    wc_error other = WC_ERROR_STATE;
    std::thread([&] { other = wc_last_error(); }).join();
    CHECK_EQ(other, WC_OK);
    CHECK_EQ(wc_last_error(), WC_ERROR_ARGUMENT);
}

TEST(the_functions_of_warp_run_the_same_graph) {
    const APICModuleBytes module = {"kernels.so", kernels().data(), kernels().size()};
    const Bytes& bytes = capture_bytes();
    APICGraph* graph =
        wp_apic_load_graph_from_bytes(nullptr, bytes.data(), bytes.size(), &module, 1, WP_APIC_DEVICE_CPU);
    CHECK(graph != nullptr);
    CHECK_EQ(wp_apic_get_num_params(graph), 2);
    CHECK_EQ(std::string(wp_apic_get_param_name(graph, 0)), std::string("x"));
    CHECK(wp_apic_get_param_name(graph, -1) == nullptr);
    CHECK(wp_apic_get_param_name(graph, 2) == nullptr);
    CHECK_EQ(wp_apic_get_param_size(graph, "y"), std::size_t{16});
    CHECK_EQ(wp_apic_get_param_size(graph, "z"), std::size_t{0});
    CHECK(wp_apic_cpu_replay_graph(graph));
    CHECK(wp_apic_launch(graph, nullptr));
    float y[4] = {};
    CHECK(wp_apic_get_param(graph, "y", y, sizeof y));
    CHECK(y[3] == 13);
    CHECK(!wp_apic_set_param(graph, "x", y, 12));
    CHECK(std::string(wp_get_error_string()).find("12 bytes given") != std::string::npos);
    CHECK(static_cast<float*>(wp_apic_get_param_ptr(graph, "y"))[3] == 13);
    wp_apic_destroy_graph(graph);
    wp_apic_destroy_graph(nullptr);
    CHECK_EQ(wp_init(nullptr), 0);
}

TEST(kernels_can_be_enumerated) {
    wc_graph* graph = load_from_memory();
    CHECK_EQ(wp_apic_get_num_kernels(graph), 6);
    CHECK_EQ(std::string(wp_apic_get_kernel_key(graph, 0)), std::string("axpy"));
    CHECK_EQ(std::string(wp_apic_get_kernel_module_hash(graph, 0)), kModule);
    CHECK_EQ(std::string(wp_apic_get_kernel_module_binary_filename(graph, 0)), std::string("kernels.so"));
    CHECK_EQ(std::string(wp_apic_get_kernel_forward_name(graph, 0)),
             std::string("axpy_00000001_cpu_forward"));
    CHECK_EQ(std::string(wp_apic_get_kernel_backward_name(graph, 0)), std::string());
    CHECK(wp_apic_get_kernel_key(graph, 6) == nullptr);
    CHECK(wp_apic_get_kernel_key(graph, -1) == nullptr);
    CHECK(wp_apic_get_kernel_forward_name(nullptr, 0) == nullptr);
    wc_destroy(graph);
}

namespace {

int registered_calls = 0;
void registered_axpy(const void* bounds, const void*) {
    std::uint64_t size;
    std::memcpy(&size, static_cast<const char*>(bounds) + 8, 8);
    registered_calls += static_cast<int>(size);
}

}  // namespace

TEST(kernels_of_the_callers_run_where_modules_cannot_be_loaded) {
    const Bytes example = worked_example();  // its module is a relocatable object of Warp's, and not there
    APICGraph* graph = wp_apic_load_graph_from_bytes(nullptr, example.data(), example.size(), nullptr, 0,
                                                     WP_APIC_DEVICE_CPU);
    CHECK(graph != nullptr);
    EXPECT_FAILURE(!wp_apic_cpu_replay_graph(graph), WC_ERROR_MODULE, "kernel \"axpy\" has no code");
    wp_apic_register_loaded_cpu_kernel(graph, "waves", kHash.c_str(),
                                       reinterpret_cast<void*>(&registered_axpy), nullptr);
    EXPECT_FAILURE(wc_last_error() != WC_OK, WC_ERROR_SYMBOL, "\"waves\"");
    wp_apic_register_loaded_cpu_kernel(graph, "axpy", kHash.c_str(),
                                       reinterpret_cast<void*>(&registered_axpy), nullptr);
    CHECK_EQ(wc_last_error(), WC_OK);
    CHECK(wp_apic_cpu_replay_graph(graph));
    CHECK_EQ(registered_calls, 4);
    wp_apic_destroy_graph(graph);
}

TEST(loading_for_the_other_device_is_refused_by_warps_functions) {
    const Bytes& bytes = capture_bytes();
    EXPECT_FAILURE(wp_apic_load_graph_from_bytes(nullptr, bytes.data(), bytes.size(), nullptr, 0,
                                                 WP_APIC_DEVICE_CUDA) == nullptr,
                   WC_ERROR_ARGUMENT, "was captured for the CPU, asked for is CUDA");
    EXPECT_FAILURE(
        wp_apic_load_graph_from_bytes(nullptr, bytes.data(), bytes.size(), nullptr, 0, 5) == nullptr,
        WC_ERROR_ARGUMENT, "device type 5");
    EXPECT_FAILURE(wp_apic_load_graph(nullptr, nullptr, 1) == nullptr, WC_ERROR_ARGUMENT, "path is NULL");
    EXPECT_FAILURE(wp_apic_load_graph_ex(nullptr, "/nowhere/a", 1, nullptr) == nullptr, WC_ERROR_IO,
                   "/nowhere/a.wrp");
}

TEST(the_library_describes_itself) {
    CHECK_EQ(std::string(wc_version()), std::string(WHITECAP_VERSION));
    CHECK_EQ(std::string(wc_error_name(WC_ERROR_MODULE)), std::string("WC_ERROR_MODULE"));
    CHECK_EQ(std::string(wc_error_summary(WC_ERROR_FORMAT)), std::string("the file is malformed"));
    CHECK(wc_thread_count() >= 1);
    EXPECT_FAILURE(wc_set_thread_count(-2) != WC_OK, WC_ERROR_ARGUMENT, "-2");
    CHECK_EQ(wc_set_thread_count(0), WC_OK);
}
