// A test executable in a few lines: TEST(name) { CHECK(...); }, run by the main() at the end of this header.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "error.hpp"

namespace check {

struct Case {
    const char* name;
    void (*body)();
};

inline std::vector<Case>& cases() {
    static std::vector<Case> all;
    return all;
}

inline int failures = 0;

struct Register {
    Register(const char* name, void (*body)()) { cases().push_back({name, body}); }
};

inline void fail(const char* file, int line, const std::string& what) {
    std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
    ++failures;
}

template <typename Value>
std::string show(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>) {
        return std::to_string(value);
    } else if constexpr (std::is_convertible_v<Value, std::string>) {
        return value;
    } else {
        return "(value)";
    }
}

// The call must throw whitecap::Error with this code and all of these fragments in its text.
inline void expect_error(const char* file, int line, wc_error code, const std::vector<std::string>& fragments,
                         const std::function<void()>& call) {
    try {
        call();
    } catch (const whitecap::Error& error) {
        const std::string text = error.what();
        if (error.code() != code)
            fail(file, line, std::string("got ") + whitecap::error_name(error.code()) + ": " + text);
        for (const std::string& fragment : fragments) {
            if (text.find(fragment) == std::string::npos)
                fail(file, line, "no \"" + fragment + "\" in: " + text);
        }
        if (text.find('\n') != std::string::npos) fail(file, line, "more than one line: " + text);
        return;
    }
    fail(file, line, std::string("nothing was thrown, expected ") + whitecap::error_name(code));
}

}  // namespace check

#define TEST(name)                                              \
    static void name();                                         \
    static const check::Register register_##name(#name, &name); \
    static void name()

#define CHECK(condition)                                               \
    do {                                                               \
        if (!(condition)) check::fail(__FILE__, __LINE__, #condition); \
    } while (false)

#define CHECK_EQ(left, right)                                                                          \
    do {                                                                                               \
        const auto left_value = (left);                                                                \
        const auto right_value = (right);                                                              \
        if (!(left_value == right_value))                                                              \
            check::fail(__FILE__, __LINE__,                                                            \
                        #left " is " + check::show(left_value) + ", not " + check::show(right_value)); \
    } while (false)

// CHECK_ERROR(code, ({"fragment", ...}), call)
#define CHECK_ERROR(code, fragments, ...)                                             \
    check::expect_error(__FILE__, __LINE__, code, std::vector<std::string> fragments, \
                        [&] { static_cast<void>(__VA_ARGS__); })

int main() {
    for (const check::Case& test : check::cases()) {
        const int before = check::failures;
        try {
            test.body();
        } catch (const std::exception& error) {
            check::fail(test.name, 0, std::string("threw ") + error.what());
        }
        std::printf("%s %s\n", check::failures == before ? "ok  " : "FAIL", test.name);
    }
    return check::failures == 0 ? 0 : 1;
}
