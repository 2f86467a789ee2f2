// Recording: addresses become region + offset by interval look-up.
#include "recorder.hpp"

#include <cstring>

#include "format.hpp"
#include "text.hpp"
#include "validate.hpp"
#include "version.hpp"

namespace whitecap {

Launch make_launch(const std::string& kernel_key, const std::vector<std::uint64_t>& shape,
                   std::optional<std::uint64_t> size) {
    if (shape.empty() || shape.size() > 4) {
        fail(WC_ERROR_ARGUMENT, "launch of ", quoted(kernel_key), ": a shape of ", shape.size(),
             " extents, allowed are 1 to 4");
    }
    Launch launch;
    launch.kernel_key = kernel_key;
    launch.ndim = static_cast<std::int32_t>(shape.size());
    std::uint64_t product = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] > 0x7fffffff) {
            fail(WC_ERROR_ARGUMENT, "launch of ", quoted(kernel_key), ": extent ", shape[d],
                 " is above 2147483647");
        }
        launch.shape[d] = static_cast<std::uint32_t>(shape[d]);
        if (shape[d] != 0 && product > (std::uint64_t{1} << 40) / shape[d]) {
            fail(WC_ERROR_ARGUMENT, "launch of ", quoted(kernel_key),
                 ": its shape has more than 2^40 threads");
        }
        product *= shape[d];
    }
    launch.size = launch.dim = size.value_or(product);
    const bool whole = product == 0 ? launch.size == 0 : launch.size <= product || launch.size % product == 0;
    if (!whole || launch.size > std::uint64_t{1} << 40) {
        fail(WC_ERROR_ARGUMENT, "launch of ", quoted(kernel_key), ": size ", launch.size,
             " is neither at most the ", product, " threads of its shape nor a multiple of them");
    }
    return launch;
}

void Recorder::require_open(const char* call) const {
    if (finished_) fail(WC_ERROR_STATE, "Recorder.", call, ": the recording is finished; begin another one");
}

std::uint32_t Recorder::region(std::uintptr_t base, std::uint64_t size, std::uint32_t element_size) {
    require_open("region");
    if (base == 0 && size != 0)
        fail(WC_ERROR_ARGUMENT, "Recorder.region: a null pointer with ", size, " bytes");
    if (size > ~std::uint64_t{0} - base)
        fail(WC_ERROR_ARGUMENT, "Recorder.region: ", size, " bytes at ", Hex{base}, " wrap around");
    if (const auto known = bases_.find(base); known != bases_.end()) {
        const Region& region = capture_.regions[known->second - 1];
        if (size <= region.size) return region.id;
        fail(WC_ERROR_ARGUMENT, "Recorder.region: ", size, " bytes at ", Hex{base},
             ", known already as region ", region.id, " of ", region.size,
             " bytes; register whole allocations, not views");
    }
    const auto next = bases_.lower_bound(base);
    const auto overlap = [&](std::uint32_t id) {
        fail(WC_ERROR_ARGUMENT, "Recorder.region: ", size, " bytes at ", Hex{base}, " overlap region ", id,
             "; register whole allocations, not views");
    };
    if (next != bases_.end() && next->first < base + size) overlap(next->second);
    if (next != bases_.begin()) {
        const auto before = std::prev(next);
        if (before->first + capture_.regions[before->second - 1].size > base) overlap(before->second);
    }
    Region region;
    region.id = static_cast<std::uint32_t>(capture_.regions.size() + 1);
    region.element_size = element_size;
    region.size = size;
    region.has_data = true;
    region.external = reinterpret_cast<std::byte*>(base);
    bases_.emplace(base, region.id);
    capture_.regions.push_back(std::move(region));
    return capture_.regions.back().id;
}

// A region holds the addresses from its base to its end; the end itself only when nothing else begins there,
// for pointers to arrays without elements.
std::optional<Recorder::Place> Recorder::locate(std::uintptr_t address) const {
    auto found = bases_.upper_bound(address);
    if (found == bases_.begin()) return std::nullopt;
    --found;
    const std::uint64_t offset = address - found->first;
    if (offset > capture_.regions[found->second - 1].size) return std::nullopt;
    return Place{static_cast<std::int32_t>(found->second), offset};
}

std::optional<std::uint32_t> Recorder::find_region(std::uintptr_t address) const {
    const auto place = locate(address);
    if (!place || (place->offset > 0 &&
                   place->offset == capture_.regions[static_cast<std::size_t>(place->region) - 1].size)) {
        return std::nullopt;
    }
    return static_cast<std::uint32_t>(place->region);
}

Recorder::Place Recorder::resolve(const std::string& who, std::uintptr_t address, std::uint64_t size) const {
    const auto place = locate(address);
    if (!place)
        fail(WC_ERROR_ARGUMENT, who, ": address ", Hex{address},
             " lies in no known region; register the array first");
    const Region& region = capture_.regions[static_cast<std::size_t>(place->region) - 1];
    if (size > region.size - place->offset) {
        fail(WC_ERROR_ARGUMENT, who, ": ", size, " bytes at offset ", place->offset, " reach past region ",
             region.id, " of ", region.size, " bytes");
    }
    return *place;
}

void Recorder::module(const std::string& hash, const std::string& name) {
    require_open("module");
    if (hash.empty())
        fail(WC_ERROR_ARGUMENT, "Recorder.module: the hash of module ", quoted(name), " is empty");
    for (const Module& module : capture_.modules) {
        if (module.hash == hash) return;
    }
    Module module;
    module.hash = hash;
    module.name = name;
    capture_.modules.push_back(std::move(module));
}

void Recorder::kernel(const std::string& key, const std::string& module_hash,
                      const std::string& base_symbol) {
    require_open("kernel");
    if (key.empty() || base_symbol.empty())
        fail(WC_ERROR_ARGUMENT, "Recorder.kernel: the key and the symbol must not be empty");
    const auto [known, added] = kernels_.emplace(std::make_pair(module_hash, key), base_symbol);
    if (!added) {
        if (known->second == base_symbol) return;
        fail(WC_ERROR_ARGUMENT, "Recorder.kernel: ", quoted(key), " is known with symbol ",
             quoted(known->second), ", not ", quoted(base_symbol));
    }
    Kernel kernel;
    kernel.key = key;
    kernel.module_hash = module_hash;
    kernel.forward_name = base_symbol + "_cpu_forward";
    capture_.kernels.push_back(std::move(kernel));
}

Argument Recorder::resolve_argument(const std::string& who, const LiveArgument& live) const {
    Argument argument;
    argument.value = live.value;
    argument.align = live.align;
    argument.access = live.access;
    for (const LiveArgument::Pointer& pointer : live.pointers) {
        if (pointer.offset > live.value.size() || live.value.size() - pointer.offset < 8) {
            fail(WC_ERROR_ARGUMENT, who, ": a pointer at byte ", pointer.offset, " of a value of ",
                 live.value.size(), " bytes");
        }
        Relocation relocation;
        relocation.value_offset = pointer.offset;
        if (pointer.address != 0) {
            const Place place = resolve(who, pointer.address, 0);
            relocation.kind = RelocationKind::data_pointer;
            relocation.region = place.region;
            relocation.region_offset = place.offset;
        }
        std::memset(argument.value.data() + pointer.offset, 0, 8);
        argument.relocations.push_back(relocation);
    }
    return argument;
}

void Recorder::launch(const std::string& key, const std::string& module_hash,
                      const std::vector<std::uint64_t>& shape, const std::vector<LiveArgument>& arguments,
                      std::optional<std::uint64_t> size) {
    require_open("launch");
    if (kernels_.count({module_hash, key}) == 0) {
        fail(WC_ERROR_ARGUMENT, "Recorder.launch: kernel ", quoted(key), " of module ", quoted(module_hash),
             " is not known; call kernel() first");
    }
    Launch launch = make_launch(key, shape, size);
    launch.module_hash = module_hash;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        launch.arguments.push_back(
            resolve_argument(text("launch of ", quoted(key), ", argument ", i + 1), arguments[i]));
    }
    if (launch.size > 0) append({std::move(launch)});
}

void Recorder::copy(std::uintptr_t dst, std::uintptr_t src, std::uint64_t size) {
    require_open("copy");
    if (size == 0) return;
    const Place to = resolve("copy, destination", dst, size), from = resolve("copy, source", src, size);
    append({MemoryCopy{to.region, from.region, to.offset, from.offset, size}});
}

void Recorder::memset(std::uintptr_t dst, std::int32_t value, std::uint64_t size) {
    require_open("memset");
    if (size == 0) return;
    const Place to = resolve("memset", dst, size);
    append({MemorySet{to.region, value, to.offset, size}});
}

void Recorder::tile(std::uintptr_t dst, Bytes value, std::uint64_t count) {
    require_open("tile");
    if (value.empty()) fail(WC_ERROR_ARGUMENT, "tile: the value is empty");
    if (count > ~std::uint64_t{0} / value.size())
        fail(WC_ERROR_ARGUMENT, "tile: ", count, " values overflow 64 bits");
    if (count == 0) return;
    const Place to = resolve("tile", dst, value.size() * count);
    append({MemoryTile{to.region, to.offset, count, std::move(value)}});
}

void Recorder::begin_branch() {
    require_open("begin_branch");
    if (frames_.size() > static_cast<std::size_t>(Limits().nesting)) {
        fail(WC_ERROR_LIMIT, "Recorder.begin_branch: branches are nested deeper than the limit of ",
             Limits().nesting);
    }
    frames_.emplace_back();
}

void Recorder::end_branch() {
    require_open("end_branch");
    if (frames_.size() == 1) fail(WC_ERROR_STATE, "Recorder.end_branch: no branch is open");
    if (!frames_.back().ended.empty())
        fail(WC_ERROR_STATE, "Recorder.end_branch: a branch inside it was not used by conditional()");
    std::vector<Operation> branch = std::move(frames_.back().operations);
    frames_.pop_back();
    frames_.back().ended.push_back(std::move(branch));
}

void Recorder::conditional(std::uintptr_t condition, bool loop, std::size_t branches) {
    require_open("conditional");
    const std::size_t most = loop ? 1 : 2;
    if (branches < 1 || branches > most) {
        fail(WC_ERROR_ARGUMENT, "conditional: ", branches, " branches, ",
             loop ? "while has exactly 1" : "if has 1 or 2");
    }
    auto& ended = frames_.back().ended;
    if (ended.size() < branches)
        fail(WC_ERROR_STATE, "conditional: it takes ", branches, " branches, ", ended.size(), " have ended");
    const Place place = resolve("conditional, condition", condition, 4);
    Conditional operation;
    operation.loop = loop;
    operation.region = place.region;
    operation.offset = place.offset;
    if (branches == 2) {
        operation.branch_b = std::move(ended.back());
        ended.pop_back();
    }
    operation.branch_a = std::move(ended.back());
    ended.pop_back();
    append({std::move(operation)});
}

void Recorder::binding(const std::string& name, std::uintptr_t address, bool output) {
    require_open("binding");
    const Place place = resolve(text("binding ", quoted(name)), address, 0);
    (output ? outputs_ : inputs_).push_back({name, static_cast<std::uint32_t>(place.region)});
}

Capture Recorder::finish() {
    require_open("finish");
    if (frames_.size() > 1) fail(WC_ERROR_STATE, "Recorder.finish: a branch is still open");
    if (!frames_[0].ended.empty())
        fail(WC_ERROR_STATE, "Recorder.finish: a branch was not used by conditional()");
    Capture capture = std::move(capture_);
    capture.producer = format::kProducer;
    capture.whitecap_producer = text("whitecap ", kVersion);
    capture.bindings = std::move(inputs_);
    capture.input_count = static_cast<std::uint32_t>(capture.bindings.size());
    capture.bindings.insert(capture.bindings.end(), outputs_.begin(), outputs_.end());
    require_clear_names(capture);
    capture.operations = std::move(frames_[0].operations);
    finished_ = true;
    validate(capture);
    return capture;
}

}  // namespace whitecap
