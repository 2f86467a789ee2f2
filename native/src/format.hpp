// The constants of the `.wrp` container, format version 18, as Warp 1.19.0 writes it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace whitecap::format {

constexpr std::uint32_t kMagic = 0x31505257;  // "WRP1"
constexpr std::uint32_t kVersion = 18;
constexpr char kProducer[] = "1.19.0";  // real Warp loads a file only when this is its own version

constexpr std::size_t kHeaderSize = 64;
constexpr std::size_t kSectionEntrySize = 32;
constexpr std::uint32_t kMaxSections = 64;
constexpr std::size_t kRegionRecordSize = 24;
constexpr std::size_t kMeshRecordSize = 32;
constexpr std::size_t kPointerLocationSize = 28;
constexpr std::size_t kBindingRecordSize = 16;
constexpr std::size_t kRelocationSize = 24;
constexpr std::size_t kRecordHeaderSize = 8;
constexpr std::size_t kLaunchSize = 80;
constexpr std::size_t kConditionalSize = 40;

enum Section : std::uint32_t {
    kMetadata = 1,
    kMemory = 2,
    kOperations = 3,
    kExtension = 0x50414357,  // "WCAP": our own; other readers skip types that they don't know
};

enum Op : std::uint32_t {
    kLaunch = 1,
    kUpload = 2,
    kCopy = 4,
    kMemset = 5,
    kAlloc = 6,
    kIf = 7,
    kWhile = 8,
    kScan = 9,
    kTile = 10,
    kSegmentedSort = 11,
    kRadixSort = 12,
    kRunLengthEncode = 13,
    kBsrFromTriplets = 14,
    kBsrTranspose = 15,
    kReduction = 16,
    kBvhRefit = 17,  // 17 to 19 exist in Warp's memory only
    kBvhRebuild = 18,
    kHashGridUpdate = 19,
};

// For messages; never null.
constexpr const char* op_name(std::uint32_t type) {
    switch (type) {
        case kLaunch:
            return "launch";
        case kUpload:
            return "upload";
        case kCopy:
            return "copy";
        case kMemset:
            return "memset";
        case kAlloc:
            return "alloc";
        case kIf:
            return "if";
        case kWhile:
            return "while";
        case kScan:
            return "scan";
        case kTile:
            return "tile";
        case kSegmentedSort:
            return "segmented sort";
        case kRadixSort:
            return "radix sort";
        case kRunLengthEncode:
            return "run-length encode";
        case kBsrFromTriplets:
            return "BSR from triplets";
        case kBsrTranspose:
            return "BSR transpose";
        case kReduction:
            return "reduction";
        case kBvhRefit:
            return "BVH refit";
        case kBvhRebuild:
            return "BVH rebuild";
        case kHashGridUpdate:
            return "hash-grid update";
        default:
            return "unknown";
    }
}

}  // namespace whitecap::format
