// Checks the outer shape of an ELF file, then hands it to the dynamic loader (through a memory file where
// possible) or to the linker for objects.
#include "cpu_module.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "file.hpp"
#include "sha256.hpp"
#include "text.hpp"

namespace whitecap {
namespace {

constexpr std::uint64_t kMostModuleBytes = std::uint64_t{1} << 30;

#if defined(__x86_64__)
constexpr std::uint16_t kMachine = EM_X86_64;
constexpr char kMachineName[] = "x86-64";
#elif defined(__aarch64__)
constexpr std::uint16_t kMachine = EM_AARCH64;
constexpr char kMachineName[] = "aarch64";
#else
#error "add the ELF machine of this processor"
#endif

Elf64_Ehdr read_header(const std::string& name, const Bytes& bytes) {
    Elf64_Ehdr header;
    if (bytes.size() < sizeof header || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) {
        fail(WC_ERROR_MODULE, name,
             ": is no shared library (no ELF header); it is damaged or for another device");
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachine) {
        fail(WC_ERROR_MODULE, name, ": is built for another kind of processor (ELF machine ",
             header.e_machine, "), this one is ", kMachineName,
             "; capture again here or ship a binary for it");
    }
    if (header.e_type != ET_DYN && header.e_type != ET_REL) {
        fail(WC_ERROR_MODULE, name, ": is no shared library (ELF type ", header.e_type, ")");
    }
    return header;
}

// The dynamic loader maps what the headers promise and dies on a file that is shorter, so that is checked
// here.
void check_segments(const std::string& name, const Bytes& bytes, const Elf64_Ehdr& header) {
    const std::uint64_t table = header.e_phoff,
                        table_size = std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
    bool whole = header.e_phentsize == sizeof(Elf64_Phdr) && table <= bytes.size() &&
                 table_size <= bytes.size() - table;
    for (std::uint64_t i = 0; whole && i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        std::memcpy(&segment, bytes.data() + table + i * sizeof segment, sizeof segment);
        whole = segment.p_offset <= bytes.size() && segment.p_filesz <= bytes.size() - segment.p_offset;
    }
    if (!whole)
        fail(WC_ERROR_MODULE, name, ": is shorter than its headers say; it was cut short, copy it again");
}

int memory_file(const Bytes& bytes) {
    const int file = memfd_create("whitecap module", MFD_CLOEXEC);
    if (file < 0) return -1;
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count = write(file, bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            close(file);
            return -1;
        }
        done += static_cast<std::size_t>(count);
    }
    return file;
}

void* open_file(const std::string& path) {
    return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

std::shared_ptr<CpuModule> CpuModule::load(ModuleBinary binary, const std::string& digest) {
    if (!binary.path.empty()) binary.bytes = read_file(binary.path, kMostModuleBytes);
    const std::string name = binary.path.empty() ? text("module ", quoted(binary.filename)) : binary.path;
    if (!digest.empty() && sha256_hex(binary.bytes.data(), binary.bytes.size()) != digest) {
        fail(WC_ERROR_MODULE, name,
             ": is not the file that was captured (its SHA-256 differs); restore it or capture again");
    }
    const Elf64_Ehdr header = read_header(name, binary.bytes);
    std::shared_ptr<CpuModule> module(new CpuModule(name));
    if (header.e_type == ET_REL) {
        module->object_ = std::make_unique<ElfObject>(name, binary.bytes);
    } else {
        check_segments(name, binary.bytes, header);
        module->open_library(binary);
    }
    return module;
}

void CpuModule::open_library(const ModuleBinary& binary) {
    file_ = memory_file(binary.bytes);  // the bytes that were checked are the bytes that run
    if (file_ >= 0) library_ = open_file(text("/proc/self/fd/", file_));
    if (library_ == nullptr && !binary.path.empty()) {  // no memory files or no /proc here
        char absolute[PATH_MAX];
        if (realpath(binary.path.c_str(), absolute) != nullptr) library_ = open_file(absolute);
    }
    if (library_ == nullptr) {
        const char* reason = dlerror();
        fail(WC_ERROR_MODULE, name_,
             ": cannot be loaded: ", reason != nullptr ? reason : "no memory file could be made");
    }
}

std::shared_ptr<CpuModule> CpuModule::load_file(const std::string& path) {
    return load({path, path, {}});
}

CpuModule::~CpuModule() {
    if (library_ != nullptr) dlclose(library_);
    if (file_ >= 0) close(file_);
}

void* CpuModule::find(const std::string& symbol) const noexcept {
    return object_ != nullptr ? object_->find(symbol) : dlsym(library_, symbol.c_str());
}

}  // namespace whitecap
