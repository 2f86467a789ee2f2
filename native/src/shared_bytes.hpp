// Constant bytes and what keeps them alive.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace whitecap {

using Bytes = std::vector<std::byte>;

// A view that shares the owner of what it looks at, so that copies of it cost nothing.
class SharedBytes {
  public:
    SharedBytes() = default;
    SharedBytes(std::shared_ptr<const void> owner, const std::byte* data, std::size_t size)
        : owner_(std::move(owner)), data_(data), size_(size) {}
    // A copy of its own.
    SharedBytes(const std::byte* data, std::size_t size) : size_(size) {
        const auto copy = std::make_shared<const Bytes>(data, data + size);
        data_ = copy->data();
        owner_ = copy;
    }

    const std::shared_ptr<const void>& owner() const { return owner_; }
    const std::byte* data() const { return data_; }
    std::size_t size() const { return size_; }

  private:
    std::shared_ptr<const void> owner_;
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace whitecap
