// Whole files in memory.
#include "file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "text.hpp"

namespace whitecap {

Bytes read_file(const std::string& path, std::uint64_t max_bytes) {
    struct CloseFile {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe must not block
    std::unique_ptr<std::FILE, CloseFile> file(descriptor < 0 ? nullptr : fdopen(descriptor, "rb"));
    if (!file) fail(WC_ERROR_IO, path, ": cannot be opened: ", std::strerror(errno));
    struct stat info {};
    if (fstat(fileno(file.get()), &info) != 0)
        fail(WC_ERROR_IO, path, ": cannot be read: ", std::strerror(errno));
    if (!S_ISREG(info.st_mode)) fail(WC_ERROR_IO, path, ": is not a regular file");
    const auto size = static_cast<std::uint64_t>(info.st_size);
    if (size > max_bytes) {
        fail(WC_ERROR_LIMIT, path, ": has ", human_bytes(size), ", more than the limit of ",
             human_bytes(max_bytes));
    }
    Bytes bytes(static_cast<std::size_t>(size));
    const std::size_t got = bytes.empty() ? 0 : std::fread(bytes.data(), 1, bytes.size(), file.get());
    if (got != bytes.size()) {
        const char* reason = std::ferror(file.get()) ? std::strerror(errno) : "it became shorter meanwhile";
        fail(WC_ERROR_IO, path, ": only ", got, " of ", bytes.size(), " bytes could be read: ", reason);
    }
    return bytes;
}

bool folder_exists(const std::string& path) noexcept {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool path_exists(const std::string& path) noexcept {
    struct stat info {};
    return stat(path.c_str(), &info) == 0;
}

bool file_exists(const std::string& path) noexcept {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace whitecap
