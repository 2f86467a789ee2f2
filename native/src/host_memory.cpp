// Host memory by mmap: zero pages that cost nothing until they are touched.
#include "host_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "text.hpp"

namespace whitecap {

HostMemory::HostMemory(std::uint64_t size) {
    constexpr std::size_t kPage = 4096, kHugePage = std::size_t{1} << 21;
    const std::size_t align = size >= kHugePage ? kHugePage : kPage;
    if (size > (std::uint64_t{1} << 62))
        fail(WC_ERROR_MEMORY, human_bytes(size), " of memory cannot be allocated");
    mapped_ = static_cast<std::size_t>((size + kPage) / kPage * kPage + (align - kPage));
    mapping_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) {
        mapping_ = nullptr;
        fail(WC_ERROR_MEMORY, human_bytes(size), " of memory cannot be allocated: ", std::strerror(errno));
    }
    const auto start = reinterpret_cast<std::uintptr_t>(mapping_);
    data_ = reinterpret_cast<std::byte*>((start + align - 1) / align * align);
#ifdef MADV_HUGEPAGE
    if (align == kHugePage) madvise(mapping_, mapped_, MADV_HUGEPAGE);
#endif
}

HostMemory::~HostMemory() {
    if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

std::uint64_t physical_memory() {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : 0;
}

}  // namespace whitecap
