// Hands out room in a process's bounce area: shared bytes in which a message waits when other processes cannot map the
// memory it comes from. Only the owner allocates and frees, so no bookkeeping is shared.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace cuco::nic {

constexpr size_t kBounceBlockBytes = 16 << 10;
constexpr size_t kBounceBlocks = 512;

class BounceArea {
 public:
  // Offset of room for so many bytes, or nothing while there is none.
  std::optional<uint64_t> allocate(size_t bytes);
  void release(uint64_t offset, size_t bytes);

 private:
  std::mutex mutex_;
  std::bitset<kBounceBlocks> used_;
};

}  // namespace cuco::nic
