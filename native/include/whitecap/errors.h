/* Error codes of the whitecap library: one table, from which the enumeration and the texts are made. */
#ifndef WHITECAP_ERRORS_H
#define WHITECAP_ERRORS_H

/* X(name, value, summary). Values are part of the ABI: append, never renumber. */
#define WC_ERROR_TABLE(X)                                                            \
    X(WC_OK, 0, "ok")                                                                \
    X(WC_ERROR_ARGUMENT, 1, "an argument is not allowed")                            \
    X(WC_ERROR_IO, 2, "a file or folder could not be read or written")               \
    X(WC_ERROR_FORMAT, 3, "the file is malformed")                                   \
    X(WC_ERROR_VERSION, 4, "the file's format version is not supported")             \
    X(WC_ERROR_LIMIT, 5, "the file asks for more than the configured limits")        \
    X(WC_ERROR_MODULE, 6, "a module binary is missing, altered or cannot be loaded") \
    X(WC_ERROR_SYMBOL, 7, "a kernel is missing from its module")                     \
    X(WC_ERROR_PARAMETER, 8, "no such parameter, or its size differs")               \
    X(WC_ERROR_UNSUPPORTED, 9, "the operation is not supported on this device")      \
    X(WC_ERROR_MEMORY, 10, "out of memory")                                          \
    X(WC_ERROR_REPLAY, 11, "an operation failed while it was replayed")              \
    X(WC_ERROR_DEVICE, 12, "no usable device or driver")                             \
    X(WC_ERROR_CUDA, 13, "a CUDA driver call failed")                                \
    X(WC_ERROR_STATE, 14, "the call is not allowed in this state")

#define WC_ERROR_ENUM(name, value, summary) name = value,
typedef enum wc_error { WC_ERROR_TABLE(WC_ERROR_ENUM) } wc_error;
#undef WC_ERROR_ENUM

#endif
