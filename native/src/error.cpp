// Names and texts of the error table.
#include "error.hpp"

namespace whitecap {

const char* error_name(wc_error code) noexcept {
    switch (code) {
#define WC_NAME(name, value, summary) \
    case name:                        \
        return #name;
        WC_ERROR_TABLE(WC_NAME)
#undef WC_NAME
    }
    return "WC_ERROR_UNKNOWN";
}

const char* error_summary(wc_error code) noexcept {
    switch (code) {
#define WC_SUMMARY(name, value, summary) \
    case name:                           \
        return summary;
        WC_ERROR_TABLE(WC_SUMMARY)
#undef WC_SUMMARY
    }
    return "an error that this version does not know";
}

}  // namespace whitecap
