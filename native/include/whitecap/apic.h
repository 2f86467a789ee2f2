/* The loading, running and introspection functions of NVIDIA Warp's API Capture, with the names and
 * signatures of Warp 1.19.0, so that a host program written for them links against this library instead.
 *
 * Differences, all on the safe side: CPU graphs load their modules themselves when they are shared libraries
 * beside the file; wp_apic_launch runs a CPU graph too; files are checked harder; the error text belongs to
 * the calling thread. Failure is NULL, false, 0 or -1; wp_get_error_string says why. Graphs of wc_load
 * (whitecap.h) work here and the other way round.
 */
#ifndef WHITECAP_APIC_H
#define WHITECAP_APIC_H

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#include "whitecap/whitecap.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wc_graph APICGraph;

/* Values of device_type. */
enum { WP_APIC_DEVICE_CUDA = 0, WP_APIC_DEVICE_CPU = 1 };

typedef struct APICModuleBytes {
    const char* filename; /* as the capture records it */
    const void* data;
    size_t size;
} APICModuleBytes;

/* Does nothing and returns 0; Warp asks for this call before CUDA is used. */
WC_API int wp_init(const char* version);
WC_API const char* wp_get_error_string(void);

/* context: CUcontext, NULL for the primary context of device 0; ignored on the CPU. device_type must be the
 * file's. */
WC_API APICGraph* wp_apic_load_graph(void* context, const char* path, int device_type);
/* The include folder is not used: retained CUDA source is never compiled here. */
WC_API APICGraph* wp_apic_load_graph_ex(void* context, const char* path, int device_type,
                                        const char* warp_include_dir);
WC_API APICGraph* wp_apic_load_graph_from_bytes(void* context, const void* data, size_t size,
                                                const APICModuleBytes* modules, uint32_t num_modules,
                                                int device_type);
WC_API void wp_apic_destroy_graph(APICGraph* graph);

/* CUDA: ordered on the legacy default stream; wp_apic_get_param returns when the bytes are there. */
WC_API bool wp_apic_set_param(APICGraph* graph, const char* name, const void* data, size_t size);
WC_API bool wp_apic_get_param(APICGraph* graph, const char* name, void* data, size_t size);
WC_API void* wp_apic_get_param_ptr(APICGraph* graph, const char* name);
WC_API int wp_apic_get_num_params(APICGraph* graph);
WC_API const char* wp_apic_get_param_name(APICGraph* graph, int index);
WC_API size_t wp_apic_get_param_size(APICGraph* graph, const char* name);

WC_API void* wp_apic_get_cuda_graph(APICGraph* graph);
WC_API void* wp_apic_get_cuda_graph_exec(APICGraph* graph);
/* CUDA: asynchronous; a NULL stream is the legacy default stream. */
WC_API bool wp_apic_launch(APICGraph* graph, void* stream);
WC_API bool wp_apic_cpu_replay_graph(APICGraph* graph);

/* Code of the caller's for a kernel of a CPU graph: forward(bounds*, args*), backward(bounds*, args*,
 * adjoints*). */
WC_API void wp_apic_register_loaded_cpu_kernel(APICGraph* graph, const char* kernel_key,
                                               const char* module_hash, void* forward_fn, void* backward_fn);

WC_API int wp_apic_get_num_kernels(APICGraph* graph);
WC_API const char* wp_apic_get_kernel_key(APICGraph* graph, int index);
WC_API const char* wp_apic_get_kernel_module_hash(APICGraph* graph, int index);
WC_API const char* wp_apic_get_kernel_module_binary_filename(APICGraph* graph, int index);
WC_API const char* wp_apic_get_kernel_forward_name(APICGraph* graph, int index);
WC_API const char* wp_apic_get_kernel_backward_name(APICGraph* graph, int index);

#ifdef __cplusplus
}
#endif

#endif
