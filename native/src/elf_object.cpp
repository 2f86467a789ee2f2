// Linking of relocatable objects.
#include "elf_object.hpp"

#include <elf.h>
#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "text.hpp"
#include "warp_runtime.hpp"

namespace whitecap {
namespace {

using u64 = std::uint64_t;

constexpr u64 kPage = 4096;
constexpr u64 kMostMemory = u64{1} << 30;
constexpr u64 kMostAlignment = 4096;
constexpr std::uint32_t kLargestSymbolCount = 1 << 20;

u64 round_up(u64 value, u64 step) {
    return (value + step - 1) / step * step;
}

// The parts of the mapping, each with its own protection.
enum Part { kCode, kConstants, kData, kParts };

class Linker {
  public:
    Linker(const std::string& name, const Bytes& bytes) : name_(name), bytes_(bytes) {
        read_sections();
        read_symbols();
        lay_out();
    }

    u64 size() const { return end_; }

    // Fills `memory` (zeroed, size() bytes), applies relocations and protects the pages.
    void link(std::byte* memory) {
        memory_ = memory;
        for (const Section& section : sections_) {
            if (section.placed && section.header.sh_type != SHT_NOBITS) {
                std::memcpy(memory + section.offset, bytes_.data() + section.header.sh_offset,
                            section.header.sh_size);
            }
        }
        resolve_symbols();
        for (const Section& section : sections_) {
            if (section.header.sh_type == SHT_RELA) relocate(section);
            if (section.header.sh_type == SHT_REL) refuse("it has relocations without addends");
        }
        protect();
    }

    std::map<std::string, void*> globals() const {
        std::map<std::string, void*> found;
        for (const Symbol& symbol : symbols_) {
            const bool global = ELF64_ST_BIND(symbol.entry.st_info) != STB_LOCAL;
            if (global && symbol.entry.st_shndx != SHN_UNDEF && !symbol.name.empty()) {
                found[symbol.name] = reinterpret_cast<void*>(symbol.address);
            }
        }
        return found;
    }

  private:
    struct Section {
        Elf64_Shdr header;
        bool placed = false;
        u64 offset = 0;  // in the mapping
    };
    struct Symbol {
        Elf64_Sym entry;
        std::string name;
        u64 address = 0;
        int slot = -1;  // in the address table
    };

    template <typename... Parts>
    [[noreturn]] void refuse(const Parts&... parts) const {
        fail(WC_ERROR_MODULE, name_, ": cannot be linked: ", parts...);
    }

    // A record of the file, refused when it reaches past the end.
    template <typename Record>
    Record record(u64 offset) const {
        if (offset > bytes_.size() || sizeof(Record) > bytes_.size() - offset) refuse("it was cut short");
        Record value;
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }

    void read_sections() {
        const auto header = record<Elf64_Ehdr>(0);
        if (header.e_shentsize != sizeof(Elf64_Shdr)) refuse("its section table is malformed");
        for (u64 i = 0; i < header.e_shnum; ++i) {
            Section section;
            section.header = record<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
            const Elf64_Shdr& h = section.header;
            const bool in_file = h.sh_offset <= bytes_.size() && h.sh_size <= bytes_.size() - h.sh_offset;
            if (h.sh_type != SHT_NOBITS && h.sh_type != SHT_NULL && !in_file) refuse("it was cut short");
            if ((h.sh_flags & SHF_TLS) != 0) refuse("it has thread-local data");
            if (h.sh_type == SHT_INIT_ARRAY || h.sh_type == SHT_FINI_ARRAY) refuse("it has constructors");
            sections_.push_back(section);
        }
    }

    void read_symbols() {
        for (const Section& table : sections_) {
            if (table.header.sh_type != SHT_SYMTAB) continue;
            if (!symbols_.empty()) refuse("it has two symbol tables");
            if (table.header.sh_link >= sections_.size()) refuse("its symbol table names no texts");
            const Elf64_Shdr& texts = sections_[table.header.sh_link].header;
            const u64 count = table.header.sh_size / sizeof(Elf64_Sym);
            if (texts.sh_type != SHT_STRTAB || count > kLargestSymbolCount)
                refuse("its symbol table is malformed");
            for (u64 i = 0; i < count; ++i) {
                Symbol symbol;
                symbol.entry = record<Elf64_Sym>(table.header.sh_offset + i * sizeof(Elf64_Sym));
                symbol.name = text_at(texts, symbol.entry.st_name);
                symbols_.push_back(std::move(symbol));
            }
        }
    }

    std::string text_at(const Elf64_Shdr& texts, u64 offset) const {
        if (offset >= texts.sh_size) refuse("the name of a symbol lies outside its texts");
        const auto* start = reinterpret_cast<const char*>(bytes_.data()) + texts.sh_offset + offset;
        const auto most = static_cast<std::size_t>(texts.sh_size - offset);
        const std::size_t length = strnlen(start, most);
        if (length == most) refuse("the name of a symbol has no end");
        return std::string(start, length);
    }

    void lay_out() {
        for (int part = 0; part < kParts; ++part) {
            end_ = round_up(end_, kPage);
            parts_[static_cast<std::size_t>(part)] = end_;
            for (Section& section : sections_) {
                const bool loaded =
                    section.header.sh_type != SHT_NULL && (section.header.sh_flags & SHF_ALLOC) != 0;
                if (!loaded || part_of(section.header) != part) continue;
                const u64 align = section.header.sh_addralign == 0 ? 1 : section.header.sh_addralign;
                if (align > kMostAlignment || (align & (align - 1)) != 0)
                    refuse("a section has alignment ", align);
                section.offset = round_up(end_, align);
                section.placed = true;
                if (section.header.sh_size > kMostMemory - section.offset)
                    refuse("it asks for more than 1 GiB");
                end_ = section.offset + section.header.sh_size;
            }
        }
        table_ = round_up(end_, 64);
        end_ = round_up(table_ + 8 * (symbols_.size() + 1), kPage);
    }

    static Part part_of(const Elf64_Shdr& header) {
        if ((header.sh_flags & SHF_EXECINSTR) != 0) return kCode;
        return (header.sh_flags & SHF_WRITE) != 0 ? kData : kConstants;
    }

    u64 table_address() const { return reinterpret_cast<u64>(memory_ + table_); }

    void resolve_symbols() {
        for (std::size_t i = 1; i < symbols_.size(); ++i) {
            Symbol& symbol = symbols_[i];
            const std::uint16_t home = symbol.entry.st_shndx;
            if (symbol.name == "_GLOBAL_OFFSET_TABLE_") {
                symbol.address = table_address();
            } else if (home == SHN_UNDEF) {
                symbol.address = reinterpret_cast<u64>(find_runtime_symbol(symbol.name));
                const bool optional = ELF64_ST_BIND(symbol.entry.st_info) == STB_WEAK || symbol.name.empty();
                if (symbol.address == 0 && !optional)
                    refuse("nothing here provides its symbol ", quoted(symbol.name));
            } else if (home == SHN_ABS) {
                symbol.address = symbol.entry.st_value;
            } else if (home < sections_.size()) {
                const Section& section = sections_[home];
                if (symbol.entry.st_value > section.header.sh_size)
                    refuse("symbol ", quoted(symbol.name), " lies outside its section");
                if (section.placed)
                    symbol.address = reinterpret_cast<u64>(memory_ + section.offset) + symbol.entry.st_value;
            } else {
                refuse("symbol ", quoted(symbol.name), " is of a kind that is not supported");
            }
        }
    }

    // Distance of the symbol's slot from the start of the table.
    u64 slot_of(Symbol& symbol) {
        if (symbol.slot < 0) {
            symbol.slot = slots_++;
            std::memcpy(memory_ + table_ + 8 * static_cast<u64>(symbol.slot), &symbol.address, 8);
        }
        return 8 * static_cast<u64>(symbol.slot);
    }

    void relocate(const Section& table) {
        if (table.header.sh_info >= sections_.size()) refuse("a relocation table names no section");
        const Section& target = sections_[table.header.sh_info];
        if (!target.placed) return;  // debugging data and the like
        for (u64 i = 0; i < table.header.sh_size / sizeof(Elf64_Rela); ++i) {
            const auto entry = record<Elf64_Rela>(table.header.sh_offset + i * sizeof(Elf64_Rela));
            const u64 index = ELF64_R_SYM(entry.r_info);
            if (index >= symbols_.size()) refuse("a relocation names no symbol");
            apply(target, entry, symbols_[index]);
        }
    }

    void apply(const Section& target, const Elf64_Rela& entry, Symbol& symbol) {
        const auto type = ELF64_R_TYPE(entry.r_info);
        const bool wide = type != R_X86_64_PC32 && type != R_X86_64_PLT32;
        const u64 size = target.header.sh_type == SHT_NOBITS ? 0 : target.header.sh_size;
        if (entry.r_offset > size || (wide ? 8u : 4u) > size - entry.r_offset)
            refuse("a relocation lies outside its section");
        std::byte* place = memory_ + target.offset + entry.r_offset;
        const auto addend = static_cast<u64>(entry.r_addend), here = reinterpret_cast<u64>(place);
        u64 value = 0;
        switch (type) {
            case R_X86_64_64:
                value = symbol.address + addend;
                break;
            case R_X86_64_PC32:
            case R_X86_64_PLT32:
            case R_X86_64_PC64:
                value = symbol.address + addend - here;
                break;
            case R_X86_64_GOTPC64:
                value = table_address() + addend - here;
                break;
            case R_X86_64_GOTOFF64:
            case R_X86_64_PLTOFF64:
                value = symbol.address + addend - table_address();
                break;
            case R_X86_64_GOT64:
                value = slot_of(symbol) + addend;
                break;
            default:
                refuse("relocation type ", type, " is not supported");
        }
        if (wide) {
            std::memcpy(place, &value, 8);
        } else {
            const auto narrow = static_cast<std::int32_t>(value);
            if (static_cast<u64>(std::int64_t{narrow}) != value)
                refuse("symbol ", quoted(symbol.name), " is too far away");
            std::memcpy(place, &narrow, 4);
        }
    }

    void protect() const {
        const std::array<int, kParts> rights{PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};
        for (std::size_t part = 0; part < kParts; ++part) {
            const u64 end = part + 1 < kParts ? parts_[part + 1] : end_;
            const u64 size = end - parts_[part];
            if (size > 0 && mprotect(memory_ + parts_[part], size, rights[part]) != 0) {
                refuse("this system does not let a process make code executable: ", std::strerror(errno));
            }
        }
    }

    const std::string& name_;
    const Bytes& bytes_;
    std::vector<Section> sections_;
    std::vector<Symbol> symbols_;
    std::array<u64, kParts> parts_{};
    u64 end_ = 0, table_ = 0;
    int slots_ = 0;
    std::byte* memory_ = nullptr;
};

}  // namespace

ElfObject::ElfObject(const std::string& name, const Bytes& bytes) {
    Linker linker(name, bytes);
    void* memory = mmap(nullptr, linker.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fail(WC_ERROR_MEMORY, name, ": ", human_bytes(linker.size()), " for its code cannot be allocated");
    mapping_ = static_cast<std::byte*>(memory);
    mapped_ = linker.size();
    try {
        linker.link(mapping_);
        symbols_ = linker.globals();
    } catch (...) {
        munmap(mapping_, mapped_);
        throw;
    }
}

ElfObject::~ElfObject() {
    munmap(mapping_, mapped_);
}

void* ElfObject::find(const std::string& symbol) const noexcept {
    const auto found = symbols_.find(symbol);
    return found == symbols_.end() ? nullptr : found->second;
}

}  // namespace whitecap
