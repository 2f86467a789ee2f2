// Linking of relocatable objects: kernels that call out, constants, static data; and objects that cannot be
// linked.
#include "elf_object.hpp"

#include <elf.h>

#include <cmath>

#include "check.hpp"
#include "cpu_module.hpp"
#include "file.hpp"
#include "sample.hpp"
#include "text.hpp"

using namespace whitecap;
using namespace sample;

#if defined(__x86_64__)

namespace {

Bytes object() {
    return read_file(TEST_OBJECT, 1 << 24);
}

void refuse(int line, const Bytes& bytes, const std::string& fragment) {
    check::expect_error(__FILE__, line, WC_ERROR_MODULE, {"object: cannot be linked: ", fragment},
                        [&] { ElfObject("object", bytes); });
}

#define REFUSE(bytes, fragment) refuse(__LINE__, bytes, fragment)

Elf64_Ehdr header_of(const Bytes& bytes) {
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    return header;
}

// File offset of the header of the first section of this type that has these flags.
std::size_t section_header(const Bytes& bytes, std::uint32_t type, std::uint64_t flags = 0) {
    const Elf64_Ehdr header = header_of(bytes);
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
        const std::size_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
        Elf64_Shdr section;
        std::memcpy(&section, bytes.data() + at, sizeof section);
        if (section.sh_type == type && (section.sh_flags & flags) == flags && section.sh_size > 0) return at;
    }
    check::fail(__FILE__, __LINE__, text("the test object has no section of type ", type));
    return 0;
}

std::uint64_t offset_of_section(const Bytes& bytes, std::size_t header) {
    std::uint64_t offset;
    std::memcpy(&offset, bytes.data() + header + offsetof(Elf64_Shdr, sh_offset), sizeof offset);
    return offset;
}

template <typename Function>
Function function(const ElfObject& linked, const char* name) {
    void* address = linked.find(name);
    CHECK(address != nullptr);
    return reinterpret_cast<Function>(address);
}

}  // namespace

TEST(functions_of_an_object_run) {
    const ElfObject linked("object", object());
    CHECK_EQ(function<int (*)(int)>(linked, "plus_one")(41), 42);
    CHECK_EQ(function<float (*)(int)>(linked, "constant")(3), 7.5f);
    CHECK_EQ(function<double (*)(double)>(linked, "wave")(0.5), std::sin(0.5) + std::pow(0.5, 1.5));
    CHECK(linked.find("absent") == nullptr);
    CHECK(linked.find("hidden") == nullptr);
}

TEST(every_linked_copy_has_static_data_of_its_own) {
    const ElfObject one("one", object()), two("two", object());
    CHECK_EQ(function<int (*)()>(one, "count")(), 1);
    CHECK_EQ(function<int (*)()>(one, "count")(), 2);
    CHECK_EQ(function<int (*)()>(two, "count")(), 1);
}

TEST(a_module_may_be_an_object) {
    const auto module = CpuModule::load({"kernels.o", "", object()});
    CHECK(module->find("plus_one") != nullptr);
    CHECK(module->find("absent") == nullptr);
}

TEST(symbols_that_nothing_provides_are_named) {
    Bytes bytes = object();
    const std::string name = "sin";
    const std::size_t texts =
        static_cast<std::size_t>(offset_of_section(bytes, section_header(bytes, SHT_STRTAB)));
    bool changed = false;
    for (std::size_t i = texts; i + 5 < bytes.size(); ++i) {
        if (std::memcmp(bytes.data() + i, "\0sin", 5) == 0) bytes[i + 1] = std::byte{'q'}, changed = true;
    }
    CHECK(changed);
    REFUSE(bytes, "nothing here provides its symbol \"qin\"");
}

TEST(objects_cut_at_any_length_are_refused) {
    const Bytes whole = object();
    for (std::size_t size = 0; size < whole.size(); size += 7) {
        const Bytes bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        try {
            ElfObject("object", bytes);
            check::fail(__FILE__, static_cast<int>(size), "a cut object was linked");
        } catch (const Error& error) {
            CHECK(error.code() == WC_ERROR_MODULE);
        }
    }
}

TEST(sections_and_tables_that_make_no_sense_are_refused) {
    const Bytes good = object();
    const std::size_t code = section_header(good, SHT_PROGBITS, SHF_EXECINSTR);
    const std::size_t symbols = section_header(good, SHT_SYMTAB),
                      relocations = section_header(good, SHT_RELA);
    const auto field = [](std::size_t header, std::size_t offset) { return header + offset; };
    REFUSE(patched(good, offsetof(Elf64_Ehdr, e_shentsize), std::uint16_t{63}), "section table is malformed");
    REFUSE(patched(good, offsetof(Elf64_Ehdr, e_shoff), ~std::uint64_t{0} - 10), "cut short");
    REFUSE(patched(good, field(code, offsetof(Elf64_Shdr, sh_size)), ~std::uint64_t{0}), "cut short");
    REFUSE(patched(good, field(code, offsetof(Elf64_Shdr, sh_addralign)), std::uint64_t{3}), "alignment 3");
    REFUSE(patched(good, field(code, offsetof(Elf64_Shdr, sh_addralign)), std::uint64_t{1} << 40),
           "alignment");
    REFUSE(patched(good, field(code, offsetof(Elf64_Shdr, sh_flags)), std::uint64_t{SHF_ALLOC | SHF_TLS}),
           "thread-local");
    REFUSE(patched(good, field(code, offsetof(Elf64_Shdr, sh_type)), std::uint32_t{SHT_INIT_ARRAY}),
           "constructors");
    REFUSE(patched(good, field(symbols, offsetof(Elf64_Shdr, sh_link)), 9999u), "names no texts");
    REFUSE(patched(good, field(symbols, offsetof(Elf64_Shdr, sh_link)), 0u), "symbol table is malformed");
    REFUSE(patched(good, field(relocations, offsetof(Elf64_Shdr, sh_info)), 9999u), "names no section");
    REFUSE(patched(good, field(relocations, offsetof(Elf64_Shdr, sh_type)), std::uint32_t{SHT_REL}),
           "without addends");
    const std::size_t data = section_header(good, SHT_NOBITS);
    REFUSE(patched(good, field(data, offsetof(Elf64_Shdr, sh_size)), std::uint64_t{1} << 40),
           "more than 1 GiB");
}

TEST(relocations_and_symbols_that_make_no_sense_are_refused) {
    const Bytes good = object();
    const std::size_t entry =
        static_cast<std::size_t>(offset_of_section(good, section_header(good, SHT_RELA)));
    const std::size_t info = entry + offsetof(Elf64_Rela, r_info);
    REFUSE(patched(good, entry, ~std::uint64_t{0}), "lies outside its section");
    REFUSE(patched(good, info, 0xffffffu), "relocation type 16777215 is not supported");
    REFUSE(patched(good, info + 4, 0xffffffu), "names no symbol");
    const std::size_t symbol =
        static_cast<std::size_t>(offset_of_section(good, section_header(good, SHT_SYMTAB))) +
        sizeof(Elf64_Sym);
    REFUSE(patched(good, symbol, 0xffffffffu), "lies outside its texts");
    REFUSE(patched(good, symbol + offsetof(Elf64_Sym, st_shndx), std::uint16_t{SHN_COMMON}), "not supported");
}

TEST(objects_with_changed_bytes_are_linked_or_refused) {
    const Bytes good = object();
    std::uint64_t random = 1;
    for (int i = 0; i < 20000; ++i) {
        Bytes bytes = good;
        for (int k = 0; k < 3; ++k) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            bytes[(random >> 33) % bytes.size()] = static_cast<std::byte>(random >> 24);
        }
        try {
            ElfObject("object", bytes);
        } catch (const Error& error) {
            CHECK(error.code() == WC_ERROR_MODULE);
        }
    }
}

#endif
