// Which kernels the program launched on which streams in the present call of its region. Noting one costs nanoseconds:
// no lock, no memory. Read when a region hangs or leaves work behind.
#pragma once

#include <cuda_runtime.h>
#include <cxxabi.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace cuco::runner {

class Launches {
 public:
  void note(cudaStream_t stream, const void* kernel) {
    Slot* slot = slot_of(stream);
    if (!slot) return;
    uint32_t index = slot->count.fetch_add(1, std::memory_order_relaxed);
    slot->kernels[index % kKept].store(kernel, std::memory_order_relaxed);
  }

  // A stream that is gone may not be asked whether it is done.
  void forget(cudaStream_t stream) {
    if (Slot* slot = slot_of(stream)) slot->count.store(0);
  }
  void forget_all() {
    for (Slot& slot : slots_) slot.count.store(0, std::memory_order_relaxed);
  }

  // In the order of their launch, stream by stream, of those streams that are not done.
  std::vector<std::string> unfinished() const {
    std::vector<std::string> names;
    for (const Slot& slot : slots_) {
      uint32_t count = slot.count.load();
      if (count == 0 || cudaStreamQuery(stream_of(slot.key.load())) != cudaErrorNotReady) continue;
      for (uint32_t i = count > kKept ? count - kKept : 0; i < count; i++)
        add_once(name_of(slot.kernels[i % kKept].load()), names);
    }
    return names;
  }

 private:
  static constexpr uint32_t kSlots = 256, kKept = 16;

  struct Slot {
    std::atomic<uintptr_t> key{0};  // 0: nobody's yet.
    std::atomic<uint32_t> count{0};
    std::atomic<const void*> kernels[kKept] = {};
  };

  static uintptr_t key_of(cudaStream_t stream) { return reinterpret_cast<uintptr_t>(stream) + 1; }
  static cudaStream_t stream_of(uintptr_t key) { return reinterpret_cast<cudaStream_t>(key - 1); }

  // None when there are more streams than slots: what is not noted is not named, nothing else.
  Slot* slot_of(cudaStream_t stream) {
    uintptr_t key = key_of(stream);
    for (uint32_t i = 0; i < kSlots; i++) {
      Slot& slot = slots_[(key / 16 + i) % kSlots];
      uintptr_t found = slot.key.load(std::memory_order_relaxed);
      if (found == key) return &slot;
      if (found == 0 && slot.key.compare_exchange_strong(found, key)) return &slot;
      if (found == key) return &slot;
    }
    return nullptr;
  }

  static std::string name_of(const void* kernel) {
    const char* name = nullptr;
    if (cudaFuncGetName(&name, kernel) != cudaSuccess || !name) return "a kernel without a name";
    int status = 0;
    char* readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    std::string text = status == 0 ? readable : name;
    std::free(readable);
    return text;
  }

  static void add_once(const std::string& name, std::vector<std::string>& names) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  Slot slots_[kSlots];
};

inline Launches& launches() {
  static Launches all;
  return all;
}

// How many ranks of this process are inside their region.
inline std::atomic<int>& open_regions() {
  static std::atomic<int> count{0};
  return count;
}

}  // namespace cuco::runner
