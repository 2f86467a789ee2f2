// libFuzzer target: any bytes are refused with an Error, or are a capture that is written and read back as the same
// bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "error.hpp"
#include "reader.hpp"
#include "writer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace whitecap;
    Capture capture;
    try {
        capture = read_capture(data, size);
    } catch (const Error&) {
        return 0;
    }
    const Bytes once = write_capture(capture);
    const Bytes again = write_capture(read_capture(once.data(), once.size()));
    if (once != again) std::abort();
    return 0;
}
