// Whole files in memory.
#include "file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "host_memory.hpp"
#include "text.hpp"

namespace whitecap {

namespace {

class RegularFile {
  public:
    RegularFile(const std::string& path, std::uint64_t max_bytes) : path_(path) {
        descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe must not block
        if (descriptor_ < 0) fail(WC_ERROR_IO, path, ": cannot be opened: ", std::strerror(errno));
        try {
            size_ = checked_size(max_bytes);
        } catch (...) {
            close(descriptor_);
            throw;
        }
    }
    ~RegularFile() { close(descriptor_); }
    RegularFile(const RegularFile&) = delete;
    RegularFile& operator=(const RegularFile&) = delete;

    std::size_t size() const { return size_; }

    void read_into(std::byte* out) const {
        std::size_t done = 0;
        while (done < size_) {
            const ssize_t got = read(descriptor_, out + done, size_ - done);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) {
                const char* reason = got < 0 ? std::strerror(errno) : "it became shorter meanwhile";
                fail(WC_ERROR_IO, path_, ": only ", done, " of ", size_, " bytes could be read: ", reason);
            }
            done += static_cast<std::size_t>(got);
        }
    }

  private:
    std::size_t checked_size(std::uint64_t max_bytes) const {
        struct stat info {};
        if (fstat(descriptor_, &info) != 0)
            fail(WC_ERROR_IO, path_, ": cannot be read: ", std::strerror(errno));
        if (!S_ISREG(info.st_mode)) fail(WC_ERROR_IO, path_, ": is not a regular file");
        const auto size = static_cast<std::uint64_t>(info.st_size);
        if (size > max_bytes) {
            fail(WC_ERROR_LIMIT, path_, ": has ", human_bytes(size), ", more than the limit of ",
                 human_bytes(max_bytes));
        }
        return static_cast<std::size_t>(size);
    }

    const std::string& path_;
    int descriptor_ = -1;
    std::size_t size_ = 0;
};

}  // namespace

Bytes read_file(const std::string& path, std::uint64_t max_bytes) {
    const RegularFile file(path, max_bytes);
    Bytes bytes(file.size());
    file.read_into(bytes.data());
    return bytes;
}

SharedBytes read_shared_file(const std::string& path, std::uint64_t max_bytes) {
    const RegularFile file(path, max_bytes);
    const auto memory = std::make_shared<const HostMemory>(file.size());
    file.read_into(memory->data());
    return {memory, memory->data(), file.size()};
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
