// The memory a process has registered, by name, and the memory of others that it has mapped, by slot of the shared
// table. The same collective registration has the same name in every process.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "nic/device.h"
#include "nic/directory.h"

namespace cuco::nic {

struct LocalMemory {
  std::byte* base = nullptr;
  uint64_t bytes = 0;
  bool host = false;
  int slot = -1;  // In the shared table; -1: others cannot map it.
};

class Registry {
 public:
  Registry(Directory& directory, Device& device) : directory_(directory), device_(device) {}
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // `readers`: bit i is set when member i will read this memory. Returns once they have mapped it, or after two
  // seconds: a reader that is late maps it at the first message.
  LocalMemory add(uint64_t name, void* address, uint64_t bytes, bool host, uint64_t readers);
  void remove(uint64_t name);
  std::optional<LocalMemory> find(uint64_t name);

  // The slot under which another process offers the memory of this name; -1 when it does not.
  int find_offer(uint64_t name, int owner);

  // Where the memory of a slot is in this process; nullptr when it cannot be mapped.
  std::byte* mapped(int slot);

  // Maps what others offer and lets go of what they took back. Only the thread that delivers calls it.
  void follow_changes();

 private:
  struct Import {
    void* address;
    uint64_t mapping_bytes;
    uint64_t offset;
  };

  int publish(uint64_t name, const Exported& exported, uint64_t readers);
  void wait_for_readers(Registration& registration, uint64_t readers);
  void import_slot(int slot);
  void release_slot(int slot);

  Directory& directory_;
  Device& device_;
  std::mutex mutex_;
  std::map<uint64_t, LocalMemory> local_;
  std::map<int, Import> imports_;
  uint64_t seen_changes_ = 0;
};

}  // namespace cuco::nic
