// The operations section: records, launch arguments, nested branches.
#include "bytes.hpp"
#include "format.hpp"
#include "writer.hpp"

namespace whitecap {
namespace {

class StreamWriter {
  public:
    void write(const std::vector<Operation>& operations) {
        for (const Operation& operation : operations) {
            std::visit([this](const auto& op) { record(op); }, operation.op);
        }
    }

    ByteWriter& out() { return out_; }

  private:
    // Writes the header, then the body, then the size that came out.
    template <typename Body>
    void framed(std::uint32_t type, const Body& body) {
        const std::size_t start = out_.size();
        out_.write(type);
        out_.write(std::uint32_t{0});
        body();
        out_.patch(start + 4, fits<std::uint32_t>(out_.size() - start, "the size of an operation"));
    }

    void record(const MemoryCopy& copy) {
        framed(format::kCopy, [&] {
            out_.write(copy.dst_region);
            out_.write(copy.src_region);
            out_.write(copy.dst_offset);
            out_.write(copy.src_offset);
            out_.write(copy.size);
        });
    }

    void record(const MemoryUpload& upload) {
        framed(format::kUpload, [&] {
            out_.write(upload.dst_region);
            out_.zeros(4);
            out_.write(upload.dst_offset);
            out_.write(static_cast<std::uint64_t>(upload.data.size()));
            out_.write_bytes(upload.data);
        });
    }

    void record(const MemorySet& set) {
        framed(format::kMemset, [&] {
            out_.write(set.region);
            out_.write(set.value);
            out_.write(set.offset);
            out_.write(set.size);
        });
    }

    void record(const MemoryTile& tile) {
        framed(format::kTile, [&] {
            out_.write(tile.region);
            out_.write(fits<std::uint32_t>(tile.value.size(), "the value of a tile"));
            out_.write(tile.offset);
            out_.write(tile.count);
            out_.write_bytes(tile.value);
        });
    }

    void record(const OpaqueOp& op) { out_.write_bytes(op.record); }

    void record(const Conditional& conditional) {
        framed(conditional.loop ? format::kWhile : format::kIf, [&] {
            out_.write(conditional.region);
            out_.zeros(4);
            out_.write(conditional.offset);
            const std::size_t sizes = out_.size();
            out_.zeros(16);
            branch(conditional.branch_a, sizes);
            branch(conditional.branch_b, sizes + 8);
        });
    }

    void branch(const std::vector<Operation>& operations, std::size_t sizes_at) {
        const std::size_t start = out_.size();
        write(operations);
        out_.patch(sizes_at, fits<std::uint32_t>(out_.size() - start, "the size of a branch"));
        out_.patch(sizes_at + 4, fits<std::uint32_t>(operations.size(), "the length of a branch"));
    }

    void record(const Launch& launch) {
        framed(format::kLaunch, [&] {
            std::vector<const Argument*> arguments;
            for (const Argument& argument : launch.arguments) arguments.push_back(&argument);
            for (const Argument& argument : launch.adjoints) arguments.push_back(&argument);
            launch_fixed(launch);
            const std::size_t counts_at = out_.size();
            out_.zeros(8);  // relocations, value bytes
            out_.write_text(launch.kernel_key);
            out_.write_text(launch.module_hash);
            const std::size_t value_bytes = binding_table(arguments);
            out_.patch(counts_at,
                       fits<std::uint32_t>(relocation_table(arguments), "the number of relocations"));
            out_.patch(counts_at + 4, fits<std::uint32_t>(value_bytes, "the size of the arguments"));
            values(arguments);
        });
    }

    void launch_fixed(const Launch& launch) {
        for (std::uint32_t extent : launch.shape) out_.write(extent);
        out_.write(launch.ndim);
        out_.write(launch.size);
        out_.write(launch.dim);
        out_.write(launch.max_blocks);
        out_.write(launch.block_dim);
        out_.write(launch.smem_bytes);
        out_.write(launch.grid_stride);
        out_.write(static_cast<std::uint8_t>(launch.forward));
        out_.write(launch.cluster_dim);
        out_.zeros(2);
        out_.write(fits<std::uint16_t>(launch.kernel_key.size(), "the length of a kernel key"));
        out_.write(fits<std::uint16_t>(launch.module_hash.size(), "the length of a module hash"));
        out_.write(fits<std::uint16_t>(launch.arguments.size(), "the number of arguments"));
        out_.zeros(2);
    }

    static std::size_t aligned(std::size_t position, const Argument& argument) {
        return (position + argument.align - 1) / argument.align * argument.align;
    }

    std::size_t binding_table(const std::vector<const Argument*>& arguments) {
        std::size_t position = 0;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const Argument& argument = *arguments[i];
            position = aligned(position, argument);
            out_.write(fits<std::uint16_t>(i + 1, "the index of an argument"));
            out_.write(
                fits<std::uint16_t>(argument.relocations.size(), "the number of pointers in an argument"));
            out_.write(fits<std::uint32_t>(position, "the size of the arguments"));
            out_.write(fits<std::uint32_t>(argument.value.size(), "the size of an argument"));
            out_.write(argument.align);
            position += argument.value.size();
        }
        return position;
    }

    std::size_t relocation_table(const std::vector<const Argument*>& arguments) {
        std::size_t count = 0;
        for (const Argument* argument : arguments) {
            for (const Relocation& relocation : argument->relocations) {
                out_.write(relocation.value_offset);
                out_.write(relocation.region);
                out_.write(relocation.region_offset);
                out_.write(static_cast<std::uint8_t>(relocation.kind));
                out_.zeros(7);
                ++count;
            }
        }
        return count;
    }

    void values(const std::vector<const Argument*>& arguments) {
        std::size_t position = 0;
        for (const Argument* argument : arguments) {
            const std::size_t start = aligned(position, *argument);
            out_.zeros(start - position);
            Bytes value = argument->value;
            for (const Relocation& relocation : argument->relocations) {
                std::memset(value.data() + relocation.value_offset, 0, 8);
            }
            out_.write_bytes(value);
            position = start + value.size();
        }
    }

    ByteWriter out_;
};

}  // namespace

Bytes write_operations(const std::vector<Operation>& operations) {
    StreamWriter stream;
    stream.out().write(fits<std::uint32_t>(operations.size(), "the number of operations"));
    stream.write(operations);
    return stream.out().release();
}

}  // namespace whitecap
