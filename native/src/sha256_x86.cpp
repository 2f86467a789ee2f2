// SHA-256 with the SHA extensions of x86-64: four rounds an instruction pair, about ten times the plain
// speed.
#include "sha256_blocks.hpp"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

namespace whitecap {

bool has_sha256_x86() noexcept {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & bit_SHA) == 0) return false;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_1) != 0 && (c & bit_SSSE3) != 0;
}

#define WC_SHA __attribute__((target("sha,sse4.1,ssse3")))

namespace {

// The state as the instructions want it: the words a b e f and c d g h, highest first.
struct Lanes {
    __m128i abef, cdgh;
};

// Four rounds. `now`: their words; it becomes the words of sixteen rounds later, made of the next three
// vectors.
WC_SHA inline __attribute__((always_inline)) void four_rounds(Lanes& state, int round, __m128i& now,
                                                              __m128i w1, __m128i w2, __m128i w3) {
    const auto* const constants = reinterpret_cast<const __m128i*>(kSha256Round + round);
    const __m128i sum = _mm_add_epi32(now, _mm_loadu_si128(constants));
    state.cdgh = _mm_sha256rnds2_epu32(state.cdgh, state.abef, sum);
    state.abef = _mm_sha256rnds2_epu32(state.abef, state.cdgh, _mm_shuffle_epi32(sum, 0x0E));
    const __m128i seven_back = _mm_alignr_epi8(w3, w2, 4);
    now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(now, w1), seven_back), w3);
}

WC_SHA inline __m128i load_words(const std::uint8_t* bytes) {
    const __m128i big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)), big_endian);
}

}  // namespace

WC_SHA void sha256_blocks_x86(Sha256State& state, const std::uint8_t* blocks, std::size_t count) {
    const __m128i dcba = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&state[0]));
    const __m128i hgfe = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&state[4]));
    const __m128i abcd = _mm_shuffle_epi32(dcba, 0x1B), efgh = _mm_shuffle_epi32(hgfe, 0x1B);
    Lanes lanes{_mm_unpackhi_epi64(efgh, abcd), _mm_unpacklo_epi64(efgh, abcd)};

    for (; count > 0; --count, blocks += 64) {
        const Lanes before = lanes;
        __m128i w0 = load_words(blocks), w1 = load_words(blocks + 16);
        __m128i w2 = load_words(blocks + 32), w3 = load_words(blocks + 48);
        for (int round = 0; round < 64; round += 16) {
            four_rounds(lanes, round, w0, w1, w2, w3);
            four_rounds(lanes, round + 4, w1, w2, w3, w0);
            four_rounds(lanes, round + 8, w2, w3, w0, w1);
            four_rounds(lanes, round + 12, w3, w0, w1, w2);
        }
        lanes.abef = _mm_add_epi32(lanes.abef, before.abef);
        lanes.cdgh = _mm_add_epi32(lanes.cdgh, before.cdgh);
    }
    const __m128i first = _mm_shuffle_epi32(_mm_unpackhi_epi64(lanes.cdgh, lanes.abef), 0x1B);
    const __m128i second = _mm_shuffle_epi32(_mm_unpacklo_epi64(lanes.cdgh, lanes.abef), 0x1B);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[0]), first);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[4]), second);
}

#undef WC_SHA

}  // namespace whitecap

#else

namespace whitecap {

bool has_sha256_x86() noexcept {
    return false;
}
void sha256_blocks_x86(Sha256State&, const std::uint8_t*, std::size_t) {}

}  // namespace whitecap

#endif
