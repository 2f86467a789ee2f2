// The library's own version; CMakeLists.txt gives it.
#pragma once

namespace whitecap {

#ifndef WHITECAP_VERSION
#error "WHITECAP_VERSION is set by the build"
#endif
constexpr char kVersion[] = WHITECAP_VERSION;

}  // namespace whitecap
