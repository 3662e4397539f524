// A device made of plain memory, for tests: allocations are files in memory, moves happen at once.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>

#include "nic/device.h"

namespace cuco::nic {

class HostDevice : public Device {
 public:
  // Memory that can be exported, all of it zero.
  std::byte* allocate(size_t bytes) {
    const int file = memfd_create("nic_test", MFD_CLOEXEC);
    if (ftruncate(file, static_cast<off_t>(bytes)) != 0) return nullptr;
    auto* address = map(file, bytes);
    const std::lock_guard lock(mutex_);
    allocations_[address] = {file, bytes};
    return address;
  }

  void enter_thread() override {}

  Result<Exported> export_memory(void* address, size_t) override {
    const std::lock_guard lock(mutex_);
    auto found = allocations_.upper_bound(static_cast<std::byte*>(address));
    if (found == allocations_.begin()) return Error{"not from this device"};
    --found;
    const auto offset = static_cast<uint64_t>(static_cast<std::byte*>(address) - found->first);
    if (offset >= found->second.bytes) return Error{"not from this device"};
    return Exported{dup(found->second.file), found->second.bytes, offset};
  }

  Result<void*> import_memory(int file, uint64_t mapping_bytes) override {
    return static_cast<void*>(map(file, mapping_bytes));
  }

  void release_import(void* address, uint64_t mapping_bytes) override { munmap(address, mapping_bytes); }

  const std::byte* reach_host_memory(std::byte* base, size_t) override { return base; }

  bool read_memory(void* host, const void* from, size_t bytes) override {
    std::memcpy(host, from, bytes);
    return true;
  }

  bool is_small(const Move& move) const override { return move.bytes <= 4096; }

  uint64_t piece_bytes(uint64_t message_bytes) const override { return message_bytes <= 16'384 ? 4'096 : 65'536; }

  std::optional<Ticket> submit(const Move& move) override {
    if (move.bytes) std::memcpy(move.to, move.from ? move.from : &move.word, move.bytes);
    if (move.signal) __atomic_fetch_add(move.signal, move.add, __ATOMIC_RELEASE);
    return Ticket{};
  }

  bool is_finished(const Ticket&) override { return true; }
  int64_t lead_ns(const Move&) const override { return 0; }
  void set_busy(bool) override {}
  Calibration calibration() const override { return {}; }

 private:
  struct Allocation {
    int file;
    size_t bytes;
  };

  static std::byte* map(int file, size_t bytes) {
    return static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  }

  std::mutex mutex_;
  std::map<std::byte*, Allocation> allocations_;
};

}  // namespace cuco::nic
