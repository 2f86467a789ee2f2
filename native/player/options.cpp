// Parsing of the player's command line, and its help.
#include "options.hpp"

#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace player {

const char kHelp[] =
    R"(whitecap-player: replays a captured program (.wrp) without Python, compiler or CUDA toolkit.

  whitecap-player --graph FILE [options]

  --graph FILE          the capture; its module binaries lie beside it in <stem>_modules
  --device cpu|cuda     where to run it (default: where it was captured for)
  --frames N            replay N times (default 1)
  --set NAME FILE.npy   fill an input before the first frame; repeat for more
  --dump NAME OUT.npy   write a parameter after the last frame; repeat for more
  --threads N           CPU threads, 1 to 256 (default: chosen from the machine and the launch size)
  --smoke               print the parameters, replay 10 times, check that the outputs are finite numbers
  --benchmark           time the frames (default 1000), print min, median and max
  --version             print the version
  --help                print this

A .npy file is read for its bytes, whatever its type; it is written as float32 (as bytes when the size is no multiple of 4).

Exit codes: 0 done; 1 replay failed or gave numbers that are not finite; 2 wrong command line;
3 the capture or a module cannot be loaded; 4 a parameter or .npy file is wrong; 5 no usable device.
)";

namespace {

std::int64_t parse_count(const std::string& flag, const std::string& word, std::int64_t least,
                         std::int64_t most) {
    errno = 0;
    char* end = nullptr;
    const long long value = std::strtoll(word.c_str(), &end, 10);
    if (word.empty() || *end != '\0' || errno != 0 || value < least || value > most) {
        throw UsageError(flag + ": \"" + word + "\" given, needed is a whole number from " +
                         std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
}

wc_device parse_device(const std::string& word) {
    if (word == "cpu") return WC_DEVICE_CPU;
    if (word == "cuda") return WC_DEVICE_CUDA;
    throw UsageError("--device: \"" + word + "\" given, allowed are cpu and cuda");
}

}  // namespace

Options parse_options(int count, const char* const* words) {
    Options options;
    int at = 1;
    const auto next = [&](const std::string& flag, const char* what) -> std::string {
        if (at >= count) throw UsageError(flag + ": needs " + what + " after it");
        return words[at++];
    };
    while (at < count) {
        const std::string flag = words[at++];
        if (flag == "--graph") {
            options.graph = next(flag, "a .wrp file");
        } else if (flag == "--device") {
            options.device = parse_device(next(flag, "cpu or cuda"));
        } else if (flag == "--frames") {
            options.frames = parse_count(flag, next(flag, "a number"), 0, 1000000000000);
            options.frames_given = true;
        } else if (flag == "--threads") {
            options.threads = static_cast<int>(parse_count(flag, next(flag, "a number"), 1, 256));
        } else if (flag == "--set" || flag == "--dump") {
            const std::string name = next(flag, "a parameter name and a .npy file");
            const std::string file = next(flag, "a parameter name and a .npy file");
            (flag == "--set" ? options.sets : options.dumps).emplace_back(name, file);
        } else if (flag == "--smoke") {
            options.smoke = true;
        } else if (flag == "--benchmark") {
            options.benchmark = true;
        } else if (flag == "--help" || flag == "-h") {
            options.help = true;
        } else if (flag == "--version") {
            options.version = true;
        } else {
            throw UsageError("\"" + flag + "\" is no option; --help lists them");
        }
    }
    if (options.help || options.version) return options;
    if (options.graph.empty()) throw UsageError("--graph FILE is missing; --help lists the options");
    if (options.smoke && (options.benchmark || options.frames_given)) {
        throw UsageError("--smoke replays exactly 10 frames; leave out --benchmark and --frames");
    }
    return options;
}

}  // namespace player
