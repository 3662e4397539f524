#include "nic/bounce.h"

namespace cuco::nic {
namespace {

size_t block_count(size_t bytes) { return (bytes + kBounceBlockBytes - 1) / kBounceBlockBytes; }

}  // namespace

std::optional<uint64_t> BounceArea::allocate(size_t bytes) {
  const std::lock_guard lock(mutex_);
  const size_t wanted = block_count(bytes);
  size_t run = 0;
  for (size_t i = 0; i < kBounceBlocks; ++i) {
    run = used_[i] ? 0 : run + 1;
    if (run < wanted) continue;
    const size_t first = i + 1 - wanted;
    for (size_t j = first; j <= i; ++j) used_.set(j);
    return first * kBounceBlockBytes;
  }
  return std::nullopt;
}

void BounceArea::release(uint64_t offset, size_t bytes) {
  const std::lock_guard lock(mutex_);
  const size_t first = offset / kBounceBlockBytes;
  for (size_t j = first; j < first + block_count(bytes); ++j) used_.reset(j);
}

}  // namespace cuco::nic
