/* whitecap: load a captured program (`.wrp`) and replay it, on the CPU or on an NVIDIA GPU.
 *
 *     wc_load_desc desc = {0};
 *     desc.path = "wave.wrp";
 *     wc_graph* graph = wc_load(&desc);
 *     if (!graph) { fprintf(stderr, "%s\n", wc_last_error_message()); return 1; }
 *     wc_set_param(graph, "mouse_pos", mouse, sizeof mouse, NULL);
 *     wc_launch(graph, NULL);
 *     wc_get_param(graph, "heights_out", heights, sizeof heights, NULL);
 *     wc_destroy(graph);
 *
 * A module binary is native code: load only captures that you trust. A graph is used by one thread at a time;
 * different graphs may be used by different threads. Functions that can fail return a wc_error, or NULL or 0
 * and set the calling thread's last error. The functions of apic.h work on the same graphs.
 */
#ifndef WHITECAP_WHITECAP_H
#define WHITECAP_WHITECAP_H

#include <stddef.h>
#include <stdint.h>

#include "whitecap/errors.h"

#if defined(__GNUC__)
#define WC_API __attribute__((visibility("default")))
#else
#define WC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wc_graph wc_graph;

typedef enum wc_device {
    WC_DEVICE_DEFAULT = 0, /* the one that the file was captured for */
    WC_DEVICE_CPU = 1,
    WC_DEVICE_CUDA = 2
} wc_device;

typedef struct wc_module_bytes {
    const char* filename; /* as the capture records it */
    const void* data;
    size_t size;
} wc_module_bytes;

/* Zero means the default everywhere. Nothing of it is needed after wc_load returns. */
typedef struct wc_load_desc {
    const char* path;           /* the `.wrp` file; ".wrp" is added when it is missing */
    const void* data;           /* or its bytes: give one of the two */
    size_t size;                /* of data */
    const char* modules_folder; /* default: "<stem>_modules" beside path */
    const wc_module_bytes*
        modules; /* or the module binaries themselves; needed with data unless a folder is given */
    size_t module_count;
    wc_device device;      /* another one than the file's needs module binaries for it */
    int threads;           /* CPU: 1 to 256; default: chosen from the machine and the size of each launch */
    int cuda_ordinal;      /* CUDA: device number, when no context is given */
    void* cuda_context;    /* CUDA: CUcontext of the caller's; default: the device's primary context */
    uint64_t memory_limit; /* most bytes that the capture may ask for; default 256 GiB */
    int plain_launches;    /* CPU: 1 = never join launches over the same rows (the bits are the same) */
} wc_load_desc;

/* ---- Errors: of the calling thread's latest call that can fail ---- */

WC_API wc_error wc_last_error(void);
/* One line for a person; "" after a success. Valid until the thread's next call. */
WC_API const char* wc_last_error_message(void);
WC_API const char* wc_error_name(wc_error error);    /* "WC_ERROR_FORMAT" */
WC_API const char* wc_error_summary(wc_error error); /* "the file is malformed" */

/* ---- Life of a graph ---- */

/* Reads, validates, loads modules, allocates and fills regions. NULL on failure. */
WC_API wc_graph* wc_load(const wc_load_desc* desc);
/* Waits for work in flight. NULL is allowed. */
WC_API void wc_destroy(wc_graph* graph);

/* ---- Replay. `stream` is a CUstream on CUDA (NULL: the graph's own) and ignored on the CPU ---- */

/* One frame. CPU: done when it returns. CUDA: ordered on the stream. */
WC_API wc_error wc_launch(wc_graph* graph, void* stream);
WC_API wc_error wc_synchronize(wc_graph* graph);

/* Whole parameters; size must be wc_param_size exactly. wc_get_param returns when the bytes are there; the
 * async form on CUDA when the copy is ordered on the stream. */
WC_API wc_error wc_set_param(wc_graph* graph, const char* name, const void* data, size_t size, void* stream);
WC_API wc_error wc_get_param(wc_graph* graph, const char* name, void* data, size_t size, void* stream);
WC_API wc_error wc_get_param_async(wc_graph* graph, const char* name, void* data, size_t size, void* stream);

/* ---- What a graph is. Indices count from 0 ---- */

WC_API size_t wc_param_count(const wc_graph* graph);
/* NULL past the end. Owned by the graph. */
WC_API const char* wc_param_name(const wc_graph* graph, size_t index);
/* Bytes; 0 and an error when there is no such parameter. */
WC_API size_t wc_param_size(const wc_graph* graph, const char* name);
/* 1 for an output, 0 for an input, -1 when there is no such parameter. */
WC_API int wc_param_is_output(const wc_graph* graph, const char* name);
/* The parameter's memory itself, host or device, until wc_destroy; NULL when there is no such parameter. */
WC_API void* wc_param_pointer(const wc_graph* graph, const char* name);
/* Kernel launches in the captured program, those in branches once each. */
WC_API size_t wc_launch_count(const wc_graph* graph);
WC_API wc_device wc_graph_device(const wc_graph* graph);
/* Bytes of host or device memory that the parameters and buffers of the graph take. */
WC_API uint64_t wc_memory_bytes(const wc_graph* graph);

/* ---- CUDA only: driver handles (CUgraph, CUgraphExec, CUgraphNode, CUstream, CUcontext) as void* ---- */

WC_API void* wc_cuda_graph(wc_graph* graph);
WC_API void* wc_cuda_graph_exec(wc_graph* graph);
WC_API void* wc_cuda_stream(wc_graph* graph);
WC_API void* wc_cuda_context(wc_graph* graph);
/* Adds the whole program to a graph of the caller's, after `count` nodes of it; `node` (may be NULL) receives
 * its end. */
WC_API wc_error wc_cuda_add_to_graph(wc_graph* graph, void* parent, void* const* dependencies, size_t count,
                                     void** node);
/* Adds the whole program to the capture that `stream` is in. */
WC_API wc_error wc_cuda_add_to_capture(wc_graph* graph, void* stream);

/* ---- The library ---- */

WC_API const char* wc_version(void); /* "0.1.0" */
/* Threads of CPU launches, the caller's included. */
WC_API int wc_thread_count(void);
/* 0: one a physical core that the process may use. */
WC_API wc_error wc_set_thread_count(int count);

#ifdef __cplusplus
}
#endif

#endif
