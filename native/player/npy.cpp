// `.npy` files.
#include "npy.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

namespace player {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr std::size_t kMagicSize = 6;

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::vector<unsigned char> read_all(const std::string& path) {
    File file(std::fopen(path.c_str(), "rb"));
    if (!file) throw NpyError(path + ": cannot be opened: " + std::strerror(errno));
    std::vector<unsigned char> bytes;
    unsigned char block[65536];
    for (std::size_t count; (count = std::fread(block, 1, sizeof block, file.get())) > 0;) {
        bytes.insert(bytes.end(), block, block + count);
    }
    if (std::ferror(file.get())) throw NpyError(path + ": cannot be read: " + std::strerror(errno));
    return bytes;
}

}  // namespace

std::vector<unsigned char> read_npy(const std::string& path) {
    const std::vector<unsigned char> bytes = read_all(path);
    if (bytes.size() < 10 || std::memcmp(bytes.data(), kMagic, kMagicSize) != 0) {
        throw NpyError(path + ": is no .npy file; write one with numpy.save");
    }
    const bool long_header = bytes[kMagicSize] >= 2;
    const std::size_t start = long_header ? 12 : 10;
    if (bytes.size() < start) throw NpyError(path + ": was cut short inside its header");
    std::size_t length = bytes[8] | std::size_t{bytes[9]} << 8;
    if (long_header) length |= std::size_t{bytes[10]} << 16 | std::size_t{bytes[11]} << 24;
    if (length > bytes.size() - start) throw NpyError(path + ": was cut short inside its header");
    const std::string header(bytes.begin() + static_cast<std::ptrdiff_t>(start),
                             bytes.begin() + static_cast<std::ptrdiff_t>(start + length));
    if (header.find("'fortran_order': False") == std::string::npos) {
        throw NpyError(path + ": is in Fortran order; save numpy.ascontiguousarray(array)");
    }
    if (header.find("'|O'") != std::string::npos)
        throw NpyError(path + ": holds Python objects; save numbers");
    return {bytes.begin() + static_cast<std::ptrdiff_t>(start + length), bytes.end()};
}

void write_npy(const std::string& path, const std::vector<unsigned char>& bytes) {
    const bool floats = bytes.size() % 4 == 0;
    std::string header = std::string("{'descr': '") + (floats ? "<f4" : "|u1") +
                         "', 'fortran_order': False, 'shape': (" +
                         std::to_string(floats ? bytes.size() / 4 : bytes.size()) + ",), }";
    header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
    header += '\n';
    const unsigned char length[4] = {1, 0, static_cast<unsigned char>(header.size()),
                                     static_cast<unsigned char>(header.size() >> 8)};

    const std::string partial = path + ".part";
    File file(std::fopen(partial.c_str(), "wb"));
    if (!file) throw NpyError(path + ": cannot be written: " + std::strerror(errno));
    bool whole = std::fwrite(kMagic, 1, kMagicSize, file.get()) == kMagicSize;
    whole = whole && std::fwrite(length, 1, sizeof length, file.get()) == sizeof length;
    whole = whole && std::fwrite(header.data(), 1, header.size(), file.get()) == header.size();
    whole = whole && std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
    whole = std::fclose(file.release()) == 0 && whole;
    if (!whole || std::rename(partial.c_str(), path.c_str()) != 0) {
        const std::string reason = std::strerror(errno);
        std::remove(partial.c_str());
        throw NpyError(path + ": cannot be written: " + reason);
    }
}

}  // namespace player
