// The player's command line.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "whitecap/whitecap.h"

namespace player {

// A command line that makes no sense; what() is the line for the person.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Options {
    std::string graph;
    wc_device device = WC_DEVICE_DEFAULT;
    std::int64_t frames = 1;
    bool frames_given = false;
    int threads = 0;
    bool smoke = false, benchmark = false, help = false, version = false;
    std::vector<std::pair<std::string, std::string>> sets, dumps;  // parameter, .npy file
};

Options parse_options(int count, const char* const* words);

extern const char kHelp[];

}  // namespace player
