// `.npy` files.
#include "npy.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

namespace {

std::string reason() {
    return std::strerror(errno);
}

[[noreturn]] void cannot_write(const std::string& path, const std::string& why) {
    throw NpyError(path + ": cannot be written: " + why);
}

std::string header_for(std::size_t size) {
    const bool floats = size % 4 == 0;
    std::string text = std::string("{'descr': '") + (floats ? "<f4" : "|u1") +
                       "', 'fortran_order': False, 'shape': (" + std::to_string(floats ? size / 4 : size) +
                       ",), }";
    text.resize((10 + text.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
    text += '\n';
    const char length[4] = {1, 0, static_cast<char>(text.size()), static_cast<char>(text.size() >> 8)};
    return std::string(kMagic, kMagicSize) + std::string(length, sizeof length) + text;
}

bool write_all(File file, const std::vector<unsigned char>& bytes) {
    const std::string header = header_for(bytes.size());
    const bool whole = std::fwrite(header.data(), 1, header.size(), file.get()) == header.size() &&
                       std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
                       std::fflush(file.get()) == 0;
    const int error = errno;
    const bool closed = std::fclose(file.release()) == 0;
    if (!whole) errno = error;
    return whole && closed;
}

// The file that `path` names, behind symbolic links.
std::string behind_links(const std::string& path) {
    char resolved[PATH_MAX];
    return realpath(path.c_str(), resolved) != nullptr ? resolved : path;
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

bool is_special(const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

void write_staged(const std::string& path, const std::vector<unsigned char>& bytes) {
    std::string staged = path + ".XXXXXX";
    const int descriptor = mkstemp(&staged[0]);
    if (descriptor < 0) cannot_write(path, reason());
    const mode_t mask = umask(0);
    umask(mask);
    bool whole = fchmod(descriptor, 0666 & ~mask) == 0;
    File file(fdopen(descriptor, "wb"));
    whole = file != nullptr && write_all(std::move(file), bytes) && whole;
    if (whole && std::rename(staged.c_str(), path.c_str()) == 0) return;
    const std::string why = reason();
    std::remove(staged.c_str());
    cannot_write(path, why);
}

}  // namespace

void require_writable(const std::string& path) {
    const std::string target = behind_links(path);
    struct stat info {};
    const bool exists = stat(target.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) cannot_write(path, "it is a folder");
    const std::string place = exists && !S_ISREG(info.st_mode) ? target : folder_of(target);
    if (access(place.c_str(), W_OK) != 0) cannot_write(path, reason());
}

void write_npy(const std::string& path, const std::vector<unsigned char>& bytes) {
    const std::string target = behind_links(path);
    if (!is_special(target)) return write_staged(target, bytes);
    File file(std::fopen(target.c_str(), "wb"));
    if (!file || !write_all(std::move(file), bytes)) cannot_write(path, reason());
}

}  // namespace player
