// Keeps which bytes the blocks of every launch touch and where every communication call sends from and receives into
// (model/access_trace.h). With a harness only its first call of the region is kept; the others do the same.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "model/access_trace.h"
#include "vcluster/runtime/gpu/memory.h"
#include "vcluster/runtime/recording/byte_set.h"
#include "vcluster/runtime/recording/touch_stamps.h"

namespace cuco::vcluster {

class Block;
class Device;
class Stream;
struct CollectiveCall;
struct KernelLaunch;

class AccessRecorder {
 public:
  // The host launches a kernel or calls NCCL; a launch gets the number that it is known by, 0 when it is not kept.
  uint32_t on_launch(const KernelLaunch& launch, const Stream& stream);
  void on_call(const CollectiveCall& call, const Stream& stream);

  // The running GPU thread touches memory.
  void on_access(uintptr_t address, uint64_t bytes, bool reads, bool writes);
  void on_atomic_update(uintptr_t address, uint64_t bytes);
  // Whether on_access() would do nothing, for accesses that come in great numbers.
  template <unsigned kBytes, bool kWrites>
  bool knows(const Block* running, uintptr_t address) const {
    return running == last_block_ && stamps_.knows<kBytes, kWrites>(address);
  }
  void on_block_end(const Block& block);

  // The run is over.
  std::string to_json();

 private:
  struct OpenBlock {
    std::map<std::pair<uint32_t, bool>, ByteSet> touched;  // By buffer and whether it is written.
    std::set<uint32_t> updated;                            // Buffers that atomic operations change.
    bool reaches_elsewhere = false;
    uint32_t stamp = 0;
  };

  std::vector<model::TracedStep>& steps_of(int rank);
  uint32_t number_of(int rank, const Allocation& allocation);
  model::TracedPlace place_of(int rank, const void* pointer);
  std::vector<model::TracedPointer> pointers_of(int rank, const KernelLaunch& launch);
  std::vector<model::TracedNumber> numbers_of(int rank, const KernelLaunch& launch);
  OpenBlock& running();
  const Allocation* own_allocation(const Device& device, uintptr_t address);

  model::AccessTrace trace_;
  struct Kept {
    int rank;
    size_t step;
  };
  std::vector<Kept> launches_;                               // By their number, from 1.
  std::map<std::pair<int, std::string>, uint32_t> seen_;     // How often a rank came by a place.
  std::map<std::pair<uint32_t, uint64_t>, OpenBlock> open_;  // By launch and block.
  std::map<const Allocation*, uint32_t> numbers_;
  const Block* last_block_ = nullptr;
  OpenBlock* last_open_ = nullptr;
  const Allocation* last_allocation_ = nullptr;
  uint32_t last_number_ = 0;  // Of that allocation.
  uint64_t block_count_ = 0;  // Of all launches that are kept.
  TouchStamps stamps_;
};

extern AccessRecorder run_accesses;
inline AccessRecorder& access_recorder() { return run_accesses; }
// Whether the run keeps accesses; a plain flag because every access asks.
extern bool keeps_accesses;
// Nothing else is asked of the hooks of the checking build: its checkers do not run.
extern bool only_keeps_accesses;

}  // namespace cuco::vcluster
