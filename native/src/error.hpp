// The one exception type of the library: an id from include/whitecap/errors.h and a one-line message.
#pragma once

#include <stdexcept>
#include <string>

#include "whitecap/errors.h"

namespace whitecap {

class Error : public std::runtime_error {
  public:
    Error(wc_error code, const std::string& message) : std::runtime_error(message), code_(code) {}
    wc_error code() const noexcept { return code_; }

  private:
    wc_error code_;
};

// "WC_ERROR_FORMAT" for WC_ERROR_FORMAT.
const char* error_name(wc_error code) noexcept;
// The table's summary.
const char* error_summary(wc_error code) noexcept;

}  // namespace whitecap
