// A CUDA driver that runs on the host, so that everything around the GPU is tested without one.
//
// Memory is host memory, streams run at once, graphs are executed node by node in order of their edges. A
// "module" is text: a line `target sm_90`, then a line `kernel <name> <parameter bytes> ...` for each kernel,
// and `table <name> <integer> ...` for a global array; what a kernel does is a callback of the test. Calls
// that need a current context fail without one, as in the real driver. Every handle is counted, any call can
// be made to fail, and a graph can be printed. Build: g++ -std=c++17 -shared -fPIC fake_driver.cpp -o
// libfake.so
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

enum {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NO_BINARY = 209
};
enum {
    UNSUPPORTED_PTX = 222,
    NOT_FOUND = 500,
    KERNEL = 0,
    MEMCPY = 1,
    MEMSET = 2,
    CHILD = 4,
    EMPTY = 5,
    CONDITIONAL = 13
};

struct Function {
    std::string name;
    std::vector<std::size_t> sizes;
};

struct Module {
    std::map<std::string, Function*> functions;
    std::map<std::string, std::vector<int>> tables;
};

// The driver's layouts, declared again on purpose: a mistake in the library's must show.
struct KernelParams {
    Function* function;
    unsigned grid[3], block[3], shared;
    void** arguments;
    void** extra;
    void* kernel;
    void* context;
};
struct Side {
    std::size_t x, y, z, lod;
    int type;
    const void* host;
    std::uint64_t device;
    void* array;
    void* reserved;
    std::size_t pitch, height;
};
struct MemcpyParams {
    int flags, reserved;
    void* context;
    Side src, dst;
    std::size_t width, height, depth;
};
struct MemsetParams {
    std::uint64_t dst;
    std::size_t pitch;
    unsigned value, element;
    std::size_t width, height;
    void* context;
};
struct Graph;
struct ConditionalParams {
    std::uint64_t handle;
    int type;
    unsigned size;
    Graph** bodies;
    void* context;
};
struct NodeParams {
    int type, reserved[3];
    union {
        long long padding[29];
        KernelParams kernel;
        MemcpyParams memcpy;
        MemsetParams memset;
        Graph* child;
        ConditionalParams conditional;
    };
    long long reserved2;
};
struct Edge {
    unsigned char from_port, to_port, type, reserved[5];
};

struct Node {
    NodeParams params;
    std::vector<std::vector<std::byte>> arguments;  // of a kernel
    std::vector<Node*> after;
    std::vector<Edge> edges;
    Graph* body = nullptr;
    Graph* owner = nullptr;
};

struct Graph {
    std::vector<Node*> nodes;  // in order of addition, so every edge points back
};

struct Stream {
    Graph* capture = nullptr;
    std::vector<const Node*> frontier;
    std::vector<Edge> edges;
};

std::map<std::string, int> live;
std::map<std::string, int> calls;
std::map<std::string, std::pair<int, int>> faults;  // call -> (calls until it fails, error)
std::vector<void*> contexts;
std::map<std::uint64_t, std::size_t> memory;
std::size_t capacity = std::size_t{1} << 30;
std::map<std::uint64_t, unsigned> conditions;
std::uint64_t next_handle = 100;
int primary_context;
unsigned long long context_id = 1;
int version = 13000;
std::string text;

using Callback = void (*)(const char* name, void** arguments, const unsigned* grid, const unsigned* block);
Callback on_kernel = nullptr;

int enter(const char* call, bool needs_context = true) {
    ++calls[call];
    const auto fault = faults.find(call);
    if (fault != faults.end() && --fault->second.first == 0) return fault->second.second;
    return needs_context && contexts.empty() ? INVALID_CONTEXT : OK;
}

// Returns early with an error when the call must fail.
#define ENTER() \
    if (const int error = enter(__func__)) return error

std::size_t used() {
    std::size_t total = 0;
    for (const auto& [address, size] : memory) total += size;
    return total;
}

void release(Graph* graph) {
    for (Node* node : graph->nodes) {
        if (node->body != nullptr) release(node->body);
        delete node;
    }
    delete graph;
}

void run_kernel(const Function& function, void** arguments, const unsigned* grid, const unsigned* block) {
    if (function.name == "wc_condition") {
        const auto when_true = *static_cast<std::uint64_t*>(arguments[0]),
                   when_false = *static_cast<std::uint64_t*>(arguments[1]);
        const bool holds = **static_cast<int**>(arguments[2]) != 0;
        if (when_true != 0) conditions[when_true] = holds;
        if (when_false != 0) conditions[when_false] = !holds;
    } else if (function.name.rfind("wc_tile_", 0) == 0) {
        const std::size_t unit = function.name == "wc_tile_words" ? 4 : 1;
        auto* const dst = *static_cast<char**>(arguments[0]);
        const auto* const value = *static_cast<const char**>(arguments[1]);
        const unsigned length = *static_cast<unsigned*>(arguments[2]);
        const auto total = *static_cast<std::uint64_t*>(arguments[3]);
        for (std::uint64_t i = 0; i < total * unit; ++i) dst[i] = value[i % (length * unit)];
    } else if (on_kernel != nullptr) {
        on_kernel(function.name.c_str(), arguments, grid, block);
    }
}

void run_set(const MemsetParams& p) {
    for (std::size_t i = 0; i < p.width; ++i)
        std::memcpy(reinterpret_cast<char*>(p.dst) + i * p.element, &p.value, p.element);
}

void run(const Graph* graph) {
    for (Node* node : graph->nodes) {
        NodeParams& p = node->params;
        if (p.type == KERNEL) {
            std::vector<void*> pointers;
            for (auto& argument : node->arguments) pointers.push_back(argument.data());
            run_kernel(*p.kernel.function, pointers.data(), p.kernel.grid, p.kernel.block);
        } else if (p.type == MEMCPY) {
            std::memmove(reinterpret_cast<void*>(p.memcpy.dst.device),
                         reinterpret_cast<void*>(p.memcpy.src.device), p.memcpy.width);
        } else if (p.type == MEMSET) {
            run_set(p.memset);
        } else if (p.type == CHILD) {
            run(p.child);
        } else if (p.type == CONDITIONAL) {
            while (conditions[p.conditional.handle] != 0) {
                run(node->body);
                if (p.conditional.type == 0) break;
            }
        }
    }
}

void copy_arguments(Node* node, const KernelParams& params) {
    node->params.kernel = params;
    node->arguments.clear();
    for (std::size_t i = 0; i < params.function->sizes.size(); ++i) {
        const auto* const start = static_cast<const std::byte*>(params.arguments[i]);
        node->arguments.emplace_back(start, start + params.function->sizes[i]);
    }
}

void print(const Graph* graph, std::ostream& out, const std::string& indent) {
    std::map<const Node*, std::size_t> index;
    for (const Node* node : graph->nodes) index.emplace(node, index.size());
    for (const Node* node : graph->nodes) {
        const NodeParams& p = node->params;
        out << indent << index[node] << ' ';
        if (p.type == KERNEL) {
            out << p.kernel.function->name << " grid " << p.kernel.grid[0] << 'x' << p.kernel.grid[1] << 'x'
                << p.kernel.grid[2] << " block " << p.kernel.block[0] << 'x' << p.kernel.block[1] << 'x'
                << p.kernel.block[2];
            if (p.kernel.shared > 0) out << " shared " << p.kernel.shared;
        } else {
            const std::map<int, const char*> names{
                {MEMCPY, "copy"}, {MEMSET, "set"}, {CHILD, "child"}, {EMPTY, "empty"}};
            out << (p.type == CONDITIONAL ? (p.conditional.type == 0 ? "if" : "while") : names.at(p.type));
        }
        out << " after";
        for (std::size_t i = 0; i < node->after.size(); ++i)
            out << ' ' << index[node->after[i]] << (node->edges[i].type != 0 ? "p" : "");
        out << '\n';
        if (node->body != nullptr) print(node->body, out, indent + "  ");
    }
}

int load(Module* module, const char* image) {
    if (std::strncmp(image, "\n.version", 9) == 0) {
        module->functions = {{"wc_condition", new Function{"wc_condition", {8, 8, 8}}},
                             {"wc_tile_words", new Function{"wc_tile_words", {8, 8, 4, 8}}},
                             {"wc_tile_bytes", new Function{"wc_tile_bytes", {8, 8, 4, 8}}}};
        return OK;
    }
    std::istringstream lines(image);
    std::string word, target;
    if (!(lines >> word >> target) || word != "target") return INVALID_IMAGE;
    if (target == "ptx_future") return UNSUPPORTED_PTX;
    if (target.rfind("ptx_", 0) != 0 && target != "sm_90") return NO_BINARY;
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string name;
        int number = 0;
        if (!(words >> word >> name)) continue;
        std::vector<int> numbers;
        while (words >> number) numbers.push_back(number);
        if (word == "table") {
            module->tables[name] = numbers;
        } else {
            module->functions[name] = new Function{name, {numbers.begin(), numbers.end()}};
        }
    }
    return OK;
}

}  // namespace

extern "C" {

// ---- what tests use
// -----------------------------------------------------------------------------------------------

void fake_on_kernel(Callback callback) {
    on_kernel = callback;
}
void fake_fail(const char* call, int nth, int error) {
    faults[call] = {nth, error};
}
void fake_heal() {
    faults.clear();
}
void fake_capacity(std::size_t bytes) {
    capacity = bytes;
}
int fake_calls(const char* call) {
    return calls[call];
}
void fake_begin_capture(Stream* stream, Graph* graph) {
    stream->capture = graph;
}
const char* fake_graph(const Graph* graph) {
    std::ostringstream out;
    print(graph, out, "");
    return (text = out.str()).c_str();
}
// Handles that are alive: "cuGraphCreate 1 ...", or "" when all are gone.
const char* fake_live() {
    text.clear();
    for (const auto& [name, count] : live) {
        if (count != 0) text += (text.empty() ? "" : " ") + name + " " + std::to_string(count);
    }
    return text.c_str();
}
int fake_context_depth() {
    return int(contexts.size());
}

// ---- the driver
// ---------------------------------------------------------------------------------------------------

int cuDriverGetVersion(int* out) {
    const char* given = std::getenv("FAKE_CUDA_VERSION");
    *out = given != nullptr ? std::atoi(given) : version;
    return OK;
}
int cuInit(unsigned) {
    const char* given = std::getenv("FAKE_CUDA_INIT");
    return given != nullptr ? std::atoi(given) : OK;
}
int cuGetErrorName(int error, const char** out) {
    static std::string name;
    const std::map<int, const char*> names{{1, "CUDA_ERROR_INVALID_VALUE"},
                                           {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                           {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                                           {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
                                           {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
    name = names.count(error) != 0 ? names.at(error) : "CUDA_ERROR_" + std::to_string(error);
    *out = name.c_str();
    return OK;
}
int cuDeviceGetCount(int* out) {
    return *out = std::getenv("FAKE_CUDA_EMPTY") != nullptr ? 0 : 1, OK;
}
int cuDeviceGet(int* out, int ordinal) {
    return *out = ordinal, OK;
}
int cuDeviceGetName(char* out, int, int) {
    return std::strcpy(out, "Fake GPU"), OK;
}
int cuDeviceGetAttribute(int* out, int attribute, int) {
    *out = attribute == 75 ? 9 : attribute == 16 ? 132 : attribute == 115 ? 1 : 0;
    return OK;
}
int cuDeviceGetUuid_v2(void*, int) {
    return OK;
}
int cuDeviceTotalMem_v2(std::size_t* out, int) {
    return *out = capacity, OK;
}
int cuDevicePrimaryCtxRetain(void** out, int) {
    if (const int error = enter(__func__, false)) return error;
    ++live["primary context"];
    *out = &primary_context;
    return OK;
}
int cuDevicePrimaryCtxRelease_v2(int) {
    if (--live["primary context"] > 0) return OK;
    ++context_id;  // the context goes, and its modules with it
    return live["module"] = 0, OK;
}
int cuCtxGetId(void*, unsigned long long* out) {
    return *out = context_id, OK;
}
int cuCtxGetCurrent(void** out) {
    return *out = contexts.empty() ? nullptr : contexts.back(), OK;
}
int cuCtxPushCurrent_v2(void* context) {
    return contexts.push_back(context), OK;
}
int cuCtxPopCurrent_v2(void** out) {
    return *out = contexts.back(), contexts.pop_back(), OK;
}
int cuCtxGetDevice(int* out) {
    return *out = 0, OK;
}

int cuMemGetInfo_v2(std::size_t* unused, std::size_t* total) {
    ENTER();
    *unused = capacity - used();
    *total = capacity;
    return OK;
}
int cuMemAlloc_v2(std::uint64_t* out, std::size_t size) {
    ENTER();
    if (size == 0) return INVALID_VALUE;
    if (size > capacity - used()) return OUT_OF_MEMORY;
    *out = reinterpret_cast<std::uint64_t>(std::aligned_alloc(256, (size + 255) / 256 * 256));
    std::memset(reinterpret_cast<void*>(*out), 0xcd, size);
    memory[*out] = size;
    ++live["memory"];
    return OK;
}
int cuMemAllocAsync(std::uint64_t* out, std::size_t size, Stream*) {
    return cuMemAlloc_v2(out, size);
}
int cuMemFree_v2(std::uint64_t address) {
    ENTER();
    if (memory.erase(address) == 0) return INVALID_VALUE;
    std::free(reinterpret_cast<void*>(address));
    --live["memory"];
    return OK;
}
int cuMemFreeAsync(std::uint64_t address, Stream*) {
    return cuMemFree_v2(address);
}
int cuMemAllocHost_v2(void** out, std::size_t size) {
    ENTER();
    ++live["pinned"];
    return *out = std::malloc(size), OK;
}
int cuMemFreeHost(void* pointer) {
    return std::free(pointer), --live["pinned"], OK;
}

#define COPY(name, target, source)                                   \
    int name(target dst, source src, std::size_t size, Stream*) {    \
        ENTER();                                                     \
        return std::memmove((void*)dst, (const void*)src, size), OK; \
    }
COPY(cuMemcpyAsync, std::uint64_t, std::uint64_t)
COPY(cuMemcpyHtoDAsync_v2, std::uint64_t, const void*)
COPY(cuMemcpyDtoHAsync_v2, void*, std::uint64_t)
COPY(cuMemcpyDtoDAsync_v2, std::uint64_t, std::uint64_t)
int cuMemcpyHtoD_v2(std::uint64_t dst, const void* src, std::size_t size) {
    return cuMemcpyHtoDAsync_v2(dst, src, size, nullptr);
}
int cuMemcpyDtoH_v2(void* dst, std::uint64_t src, std::size_t size) {
    return cuMemcpyDtoHAsync_v2(dst, src, size, nullptr);
}
int cuMemsetD8Async(std::uint64_t dst, unsigned char value, std::size_t size, Stream*) {
    ENTER();
    return std::memset(reinterpret_cast<void*>(dst), value, size), OK;
}
int cuMemsetD32Async(std::uint64_t dst, unsigned value, std::size_t count, Stream*) {
    ENTER();
    return std::fill_n(reinterpret_cast<unsigned*>(dst), count, value), OK;
}
int cuPointerGetAttribute(void* out, int attribute, std::uint64_t address) {
    for (const auto& [base, size] : memory) {
        if (address < base || address >= base + size) continue;
        if (attribute == 1) return *static_cast<void**>(out) = &primary_context, OK;
        return *static_cast<int*>(out) = 2, OK;
    }
    return INVALID_VALUE;
}

int cuModuleLoadDataEx(Module** out, const void* image, unsigned, int*, void** values) {
    ENTER();
    auto* const module = new Module;
    const int error = load(module, static_cast<const char*>(image));
    if (error != OK) {
        std::strcpy(static_cast<char*>(values[0]), "fake compiler: not for this device\n");
        return delete module, error;
    }
    ++live["module"];
    return *out = module, OK;
}
int cuModuleUnload(Module* module) {
    ENTER();
    for (const auto& [name, function] : module->functions) delete function;
    return delete module, --live["module"], OK;
}
int cuModuleGetFunction(Function** out, Module* module, const char* name) {
    ENTER();
    const auto found = module->functions.find(name);
    if (found == module->functions.end()) return NOT_FOUND;
    return *out = found->second, OK;
}
int cuModuleGetGlobal_v2(std::uint64_t* out, std::size_t* size, Module* module, const char* name) {
    ENTER();
    const auto found = module->tables.find(name);
    if (found == module->tables.end()) return NOT_FOUND;
    *out = reinterpret_cast<std::uint64_t>(found->second.data());
    return *size = found->second.size() * sizeof(int), OK;
}
int cuFuncSetAttribute(Function*, int, int) {
    ENTER();
    return OK;
}
int cuFuncGetAttribute(int* out, int, Function*) {
    return *out = 1024, OK;
}
int cuFuncGetParamInfo(Function* function, std::size_t index, std::size_t* offset, std::size_t* size) {
    if (index >= function->sizes.size()) return INVALID_VALUE;
    *offset = 0;
    return *size = function->sizes[index], OK;
}
int cuFuncLoad(Function*) {
    ENTER();
    return OK;
}
int cuLaunchKernel(Function* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned, Stream*, void** arguments, void**) {
    ENTER();
    const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
    return run_kernel(*function, arguments, grid, block), OK;
}

int cuStreamCreate(Stream** out, unsigned) {
    ENTER();
    ++live["stream"];
    return *out = new Stream, OK;
}
int cuStreamDestroy_v2(Stream* stream) {
    return delete stream, --live["stream"], OK;
}
int cuStreamSynchronize(Stream*) {
    ENTER();
    return OK;
}
int cuStreamIsCapturing(Stream* stream, int* out) {
    return *out = stream->capture != nullptr, OK;
}
int cuStreamGetCaptureInfo_v3(Stream* stream, int* status, std::uint64_t*, Graph** graph,
                              const Node* const** after, const Edge** edges, std::size_t* count) {
    *status = stream->capture != nullptr;
    *graph = stream->capture;
    *after = stream->frontier.data();
    *edges = stream->edges.data();
    return *count = stream->frontier.size(), OK;
}
int cuStreamUpdateCaptureDependencies_v2(Stream* stream, Node** after, const Edge*, std::size_t count,
                                         unsigned) {
    stream->frontier.assign(after, after + count);
    return stream->edges.assign(count, Edge{}), OK;
}
int cuEventCreate(int** out, unsigned) {
    ENTER();
    ++live["event"];
    return *out = new int, OK;
}
int cuEventDestroy_v2(int* event) {
    return delete event, --live["event"], OK;
}
int cuEventRecord(int*, Stream*) {
    ENTER();
    return OK;
}
int cuEventQuery(int*) {
    return OK;
}
int cuEventSynchronize(int*) {
    ENTER();
    return OK;
}
int cuEventElapsedTime(float* out, int*, int*) {
    return *out = 1, OK;
}

int cuGraphCreate(Graph** out, unsigned) {
    ENTER();
    ++live["graph"];
    return *out = new Graph, OK;
}
int cuGraphDestroy(Graph* graph) {
    return release(graph), --live["graph"], OK;
}
int cuGraphAddNode_v2(Node** out, Graph* graph, Node* const* after, const Edge* edges, std::size_t count,
                      NodeParams* params) {
    ENTER();
    for (std::size_t i = 0; i < count; ++i) {
        const bool programmatic = edges != nullptr && edges[i].type != 0;
        if (after[i]->owner != graph) return INVALID_VALUE;
        if (programmatic &&
            (params->type != KERNEL || after[i]->params.type != KERNEL || edges[i].from_port != 1))
            return INVALID_VALUE;
    }
    auto* const node =
        new Node{*params, {}, {after, after + count}, std::vector<Edge>(count), nullptr, graph};
    if (edges != nullptr) node->edges.assign(edges, edges + count);
    if (params->type == KERNEL) copy_arguments(node, params->kernel);
    if (params->type == CONDITIONAL) params->conditional.bodies = &(node->body = new Graph);
    graph->nodes.push_back(node);
    return *out = node, OK;
}
int cuGraphConditionalHandleCreate(std::uint64_t* out, Graph*, void*, unsigned, unsigned) {
    ENTER();
    return *out = next_handle++, OK;
}
int cuGraphKernelNodeSetParams_v2(Node* node, const KernelParams* params) {
    ENTER();
    return copy_arguments(node, *params), OK;
}
int cuGraphExecKernelNodeSetParams_v2(Graph* exec, Node* node, const KernelParams* params) {
    ENTER();
    if (node->owner != exec) return INVALID_VALUE;
    return copy_arguments(node, *params), OK;
}
int cuGraphInstantiateWithFlags(Graph** out, Graph* graph, unsigned long long) {
    ENTER();
    ++live["exec"];
    return *out = graph, OK;
}
int cuGraphExecDestroy(Graph*) {
    return --live["exec"], OK;
}
int cuGraphUpload(Graph*, Stream*) {
    ENTER();
    return OK;
}
int cuGraphLaunch(Graph* exec, Stream*) {
    ENTER();
    return run(exec), OK;
}

}  // extern "C"
