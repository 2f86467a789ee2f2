// whitecap-player: loads a capture, replays it, prints, times and dumps. Uses nothing but the public C API.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "npy.hpp"
#include "options.hpp"
#include "whitecap/whitecap.h"

namespace player {
namespace {

enum ExitCode {
    kDone = 0,
    kReplayFailed = 1,
    kUsage = 2,
    kCannotLoad = 3,
    kWrongParameter = 4,
    kNoDevice = 5
};

// A call of the library that failed: its line and the exit code.
struct Failure {
    ExitCode code;
    std::string message;
};

[[noreturn]] void fail(ExitCode code) {
    const wc_error error = wc_last_error();
    const bool device = error == WC_ERROR_DEVICE || error == WC_ERROR_CUDA;
    throw Failure{device ? kNoDevice : code, wc_last_error_message()};
}

void check(wc_error error, ExitCode code = kReplayFailed) {
    if (error != WC_OK) fail(code);
}

struct DestroyGraph {
    void operator()(wc_graph* graph) const { wc_destroy(graph); }
};
using Graph = std::unique_ptr<wc_graph, DestroyGraph>;
using Bytes = std::vector<unsigned char>;

Graph load(const Options& options) {
    wc_load_desc desc = {};
    desc.path = options.graph.c_str();
    desc.device = options.device;
    desc.threads = options.threads;
    Graph graph(wc_load(&desc));
    if (!graph) fail(kCannotLoad);
    return graph;
}

Bytes read_parameter(wc_graph* graph, const char* name) {
    const std::size_t size = wc_param_size(graph, name);
    if (wc_last_error() != WC_OK) fail(kWrongParameter);
    Bytes bytes(size);
    check(wc_get_param(graph, name, bytes.data(), bytes.size(), nullptr));
    return bytes;
}

void set_parameters(wc_graph* graph, const Options& options) {
    for (const auto& [name, file] : options.sets) {
        const Bytes bytes = read_npy(file);
        const wc_error error = wc_set_param(graph, name.c_str(), bytes.data(), bytes.size(), nullptr);
        if (error != WC_OK)
            throw Failure{kWrongParameter, "--set " + name + " " + file + ": " + wc_last_error_message()};
    }
}

void dump_parameters(wc_graph* graph, const Options& options) {
    for (const auto& [name, file] : options.dumps) write_npy(file, read_parameter(graph, name.c_str()));
}

// Names and files are checked before anything runs, so a typing error costs no run.
void check_dumps(wc_graph* graph, const Options& options) {
    for (const auto& dump : options.dumps) {
        wc_param_size(graph, dump.first.c_str());
        if (wc_last_error() != WC_OK)
            throw Failure{kWrongParameter, "--dump " + dump.first + ": " + wc_last_error_message()};
        require_writable(dump.second);
    }
}

const char* device_name(const wc_graph* graph) {
    return wc_graph_device(graph) == WC_DEVICE_CUDA ? "CUDA" : "CPU";
}

// "1 frame", "3 frames"
std::string counted(long long count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// "17 launches on the CPU"
std::string work_of(const wc_graph* graph) {
    const std::size_t launches = wc_launch_count(graph);
    return std::to_string(launches) + (launches == 1 ? " launch" : " launches") + " on the " +
           device_name(graph);
}

void replay(wc_graph* graph, std::int64_t frames) {
    for (std::int64_t i = 0; i < frames; ++i) check(wc_launch(graph, nullptr));
    check(wc_synchronize(graph));
}

void print_parameters(const wc_graph* graph) {
    for (std::size_t i = 0; i < wc_param_count(graph); ++i) {
        const char* name = wc_param_name(graph, i);
        std::printf("  %-6s %-24s %12zu bytes\n", wc_param_is_output(graph, name) == 1 ? "output" : "input",
                    name, wc_param_size(graph, name));
    }
}

void require_finite(wc_graph* graph) {
    for (std::size_t i = 0; i < wc_param_count(graph); ++i) {
        const char* name = wc_param_name(graph, i);
        if (wc_param_is_output(graph, name) != 1) continue;
        const Bytes bytes = read_parameter(graph, name);
        for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
            float value;
            std::memcpy(&value, bytes.data() + at, sizeof value);
            if (!std::isfinite(value)) {
                throw Failure{kReplayFailed, std::string("output \"") + name + "\": element " +
                                                 std::to_string(at / 4) +
                                                 " is not a finite number after the replay"};
            }
        }
    }
}

void smoke(wc_graph* graph) {
    constexpr int kLaunches = 10;
    std::printf("a frame of %s, %s:\n", work_of(graph).c_str(),
                counted(static_cast<long long>(wc_param_count(graph)), "parameter").c_str());
    print_parameters(graph);
    replay(graph, kLaunches);
    require_finite(graph);
    std::printf("smoke OK (%d graph launches)\n", kLaunches);
}

void benchmark(wc_graph* graph, const Options& options) {
    using Clock = std::chrono::steady_clock;
    const std::int64_t frames = options.frames_given ? std::max<std::int64_t>(options.frames, 1) : 1000;
    const auto microseconds = [](Clock::duration d) {
        return std::chrono::duration<double, std::micro>(d).count();
    };
    replay(graph, std::min<std::int64_t>(frames, 20));  // warm caches and threads
    std::vector<double> times;
    for (std::int64_t i = 0; i < frames; ++i) {
        const auto start = Clock::now();
        replay(graph, 1);
        times.push_back(microseconds(Clock::now() - start));
    }
    const auto start = Clock::now();
    replay(graph, frames);
    const double back_to_back = microseconds(Clock::now() - start) / static_cast<double>(frames);
    std::sort(times.begin(), times.end());
    std::printf("%s of %s: min %.2f us, median %.2f us, max %.2f us; back to back %.2f us a frame\n",
                counted(frames, "frame").c_str(), work_of(graph).c_str(), times.front(),
                times[times.size() / 2], times.back(), back_to_back);
}

void run(const Options& options) {
    const Graph graph = load(options);
    check_dumps(graph.get(), options);
    set_parameters(graph.get(), options);
    if (options.smoke) {
        smoke(graph.get());
    } else if (options.benchmark) {
        benchmark(graph.get(), options);
    } else {
        replay(graph.get(), options.frames);
        std::printf("%s of %s\n", counted(options.frames, "frame").c_str(), work_of(graph.get()).c_str());
    }
    dump_parameters(graph.get(), options);
}

int report(ExitCode code, const std::string& message) {
    std::fprintf(stderr, "whitecap-player: %s\n", message.c_str());
    return code;
}

// What was printed has arrived, or the exit code says that it has not.
int finish() {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return kDone;
    return report(kReplayFailed, std::string("standard output cannot be written: ") + std::strerror(errno));
}

int main(int count, char** words) {
    try {
        const Options options = parse_options(count, words);
        if (options.help) {
            std::fputs(kHelp, stdout);
        } else if (options.version) {
            std::printf("whitecap-player %s\n", wc_version());
        } else {
            run(options);
        }
        return finish();
    } catch (const UsageError& error) {
        return report(kUsage, error.what());
    } catch (const NpyError& error) {
        return report(kWrongParameter, error.what());
    } catch (const Failure& failure) {
        return report(failure.code, failure.message);
    } catch (const std::bad_alloc&) {
        return report(kReplayFailed, "out of memory");
    }
}

}  // namespace
}  // namespace player

int main(int count, char** words) {
    return player::main(count, words);
}
