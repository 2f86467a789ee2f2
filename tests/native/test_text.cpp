// Small parts: digests, UTF-8, texts for messages.
#include <vector>

#include "check.hpp"
#include "sha256.hpp"
#include "sha256_blocks.hpp"
#include "text.hpp"

using namespace whitecap;

TEST(sha256_matches_the_published_vectors) {
    const auto digest = [](const std::string& text) { return sha256_hex(text.data(), text.size()); };
    CHECK_EQ(digest(""), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    CHECK_EQ(digest("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    CHECK_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
             std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    CHECK_EQ(digest(std::string(1000000, 'a')),
             std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
}

TEST(sha256_is_the_same_with_the_processors_instructions) {
    if (!has_sha256_x86()) return;
    std::vector<std::uint8_t> blocks(64 * 37);
    std::uint32_t random = 1;
    for (std::uint8_t& byte : blocks) byte = std::uint8_t((random = random * 1664525 + 1013904223) >> 24);
    Sha256State plain{1, 2, 3, 4, 5, 6, 7, 8}, fast = plain;
    sha256_blocks_plain(plain, blocks.data(), 37);
    sha256_blocks_x86(fast, blocks.data(), 37);
    CHECK(plain == fast);
}

TEST(a_digest_is_64_lowercase_hex_digits) {
    CHECK(is_sha256_hex(std::string(64, 'f')));
    CHECK(!is_sha256_hex(std::string(64, 'F')));
    CHECK(!is_sha256_hex(std::string(63, 'f')));
    CHECK(!is_sha256_hex(std::string(64, 'g')));
    CHECK(!is_sha256_hex(""));
}

TEST(utf8_is_told_from_other_bytes) {
    for (const char* good :
         {"", "wave", "Wellenh\xc3\xb6he", "\xe6\xb3\xa2", "\xf0\x9f\x8c\x8a", "\xf4\x8f\xbf\xbf"})
        CHECK(is_utf8(good));
    for (const char* bad : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                            "\xf5\x80\x80\x80", "\xff", "a\xc3\x28"}) {
        CHECK(!is_utf8(bad));
    }
}

TEST(names_from_files_are_fit_for_a_message) {
    CHECK_EQ(quoted("heights"), std::string("\"heights\""));
    CHECK_EQ(quoted("a\nb\x1b"), std::string("\"a?b?\""));
    CHECK_EQ(quoted(std::string(100, 'x')), "\"" + std::string(80, 'x') + "...\"");
    std::string umlauts;
    for (int i = 0; i < 60; ++i) umlauts += "\xc3\xb6";
    CHECK(is_utf8(quoted("x" + umlauts)));
}

TEST(byte_counts_have_units) {
    CHECK_EQ(human_bytes(0), std::string("0 B"));
    CHECK_EQ(human_bytes(1023), std::string("1023 B"));
    CHECK_EQ(human_bytes(65536), std::string("64.0 KiB"));
    CHECK_EQ(human_bytes(~std::uint64_t{0}), std::string("16.0 EiB"));
}

TEST(every_error_code_has_a_name_and_a_summary) {
    CHECK_EQ(std::string(error_name(WC_ERROR_FORMAT)), std::string("WC_ERROR_FORMAT"));
    CHECK_EQ(std::string(error_summary(WC_OK)), std::string("ok"));
    CHECK_EQ(std::string(error_name(static_cast<wc_error>(999))), std::string("WC_ERROR_UNKNOWN"));
}
