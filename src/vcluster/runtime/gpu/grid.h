// A kernel launch in execution on one device.
#pragma once

#include <vector_types.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "vcluster/runtime/engine/clock.h"
#include "vcluster/runtime/gpu/block.h"
#include "vcluster/runtime/gpu/compared_blocks.h"
#include "vcluster/runtime/gpu/sampling.h"
#include "vcluster/runtime/recording/traffic_record.h"

namespace cuco::vcluster {

class Device;
struct Allocation;
struct Operation;
struct Process;

struct KernelLaunch {
  std::string name;
  std::string place;  // file:line of the launch.
  uint3 grid = {1, 1, 1}, block = {1, 1, 1};
  size_t dynamic_shared_bytes = 0;
  size_t static_shared_bytes = 0;  // That the kernel itself uses; the image's other kernels may use more.
  bool cooperative = false;
  int priority = 0;      // Larger goes first, unlike the numbers of CUDA.
  int stream = 0;        // Its number on the device.
  Work* work = nullptr;  // Of the operation that launches it; outlives the grid.
  void (*run)(const void*) = nullptr;
  std::vector<uint64_t> arguments;  // Bytes, kept aligned.
  // Of each of them, in bytes; empty where the launch does not say.
  std::vector<size_t> argument_offsets, argument_sizes;
  Process* process = nullptr;
  Operation* operation = nullptr;  // That it is; outlives the grid.
  uint32_t race_id = 0;            // Of the operation on its stream.
  uint32_t access_record = 0;      // As the recorder of accesses numbers launches; 0: it does not keep this one.
};

// What launches of one kernel on the same buffers do that run at one time, such as slices of a grid: what one of them
// brings into the L2 the others find there.
struct CacheShare {
  double moved = 0;                     // Bytes through the L2, by the blocks that have begun.
  uint64_t begun_count = 0, count = 0;  // Blocks.
};

// Shared memory is given out in steps of this size.
inline size_t padded_shared(size_t bytes) { return (bytes + 255) & ~size_t{255}; }

// What a block takes from its multiprocessor.
struct Room {
  uint32_t threads = 0, blocks = 0;
  size_t shared_bytes = 0;

  Room& operator+=(const Room& other);
  Room& operator-=(const Room& other);
};

class Grid {
 public:
  Grid(KernelLaunch launch, Device& device, std::function<void()> on_end);
  ~Grid();
  Grid(const Grid&) = delete;

  uint32_t threads_per_block() const { return static_cast<uint32_t>(thread_indices_.size()); }
  uint3 thread_index(uint32_t thread) const { return thread_indices_[thread]; }
  uint64_t block_count() const { return block_count_; }
  size_t shared_bytes() const;           // Per block: room for all variables of the image, and dynamic.
  size_t occupied_shared_bytes() const;  // Per block: what this kernel takes from a multiprocessor.
  const KernelLaunch& launch() const { return launch_; }
  uint64_t number() const { return number_; }  // Counts launches of the whole run, from 1.
  Device& device() const { return device_; }

  std::array<uint32_t, 3> position_of(uint64_t index) const;  // blockIdx of the block with this number.
  void install(const Block& block) const;                     // Sets blockIdx and its kin.
  void run_thread() const { launch_.run(arguments_); }
  void run_block(Block& block);

  void drop() { is_dropped_ = true; }  // None of its threads runs again.
  bool is_dropped() const { return is_dropped_; }

  bool has_unstarted() const { return next_block_ < block_count_; }
  Block* start_next(uint32_t sm);
  void grid_barrier(Block& block);
  const std::vector<Block*>& running() const { return running_; }

  // Which share of this kernel's accesses goes to the HBM, by what its blocks have moved with these further bytes.
  double missing_share(uint64_t bytes);
  // The block had a turn in which its threads did this.
  void note_turn(const Block& block, const BlockWork& work);

  GridBodies& bodies() { return bodies_; }

  // Of a run whose results are compared. Whether the block makes its calls that others leave out:
  bool is_compared(const Block& block);
  // Whether all blocks run.
  bool runs_whole() const { return communicates || compared_.size() == block_count_ || (is_decided_ && !is_large_); }

  bool reported_divergence = false;
  // Its blocks depend on each other or on other devices: none may be left out, only bodies of them.
  bool communicates = false;
  bool reaches_peers = false;  // By a window or by their memory.
  Room room;                   // Of each of its blocks.
  KernelTraffic traffic;

 private:
  size_t argument_bytes() const { return 8 * launch_.arguments.size(); }
  void end_block(Block& block);
  uint64_t ordered(uint64_t position) const;  // The seed permutes the order in which blocks start.
  void draw_sample();
  void look_at_arguments();
  void share_cache();
  bool may_skip(const Block& block);
  GridSize size() const { return {launch_.grid.x, launch_.grid.y, launch_.grid.z}; }
  void decide();
  void forget_unwritten();

  KernelLaunch launch_;
  char* arguments_;  // Where its threads find them.
  uint64_t number_;
  Device& device_;
  std::function<void()> on_end_;
  std::vector<uint3> thread_indices_;
  uint64_t block_count_ = 0;
  uint64_t next_block_ = 0;
  uint64_t ended_count_ = 0;
  bool is_dropped_ = false;
  uint64_t stride_ = 1, first_ = 0;
  std::vector<Block*> running_;
  struct Waiting {
    Block* block;
    uint32_t thread;
  };
  std::vector<Waiting> at_barrier_;
  std::set<const Allocation*> touched_;  // The allocations that its arguments point into.
  double footprint_ = 0;                 // Their bytes.
  std::shared_ptr<CacheShare> cache_;
  std::optional<SampledOrder> sampled_order_;
  BlockSample sample_;
  std::set<uint64_t> compared_;  // Blocks that run because results are compared, and
  BlockWrites writes_;           // where they write.
  bool is_decided_ = false;      // Once the first ones have run it is known which others do,
  bool is_large_ = false;        // and whether all can.
  uint64_t skipped_count_ = 0;
  GridBodies bodies_{*this};
};

// "kernel NAME launched at FILE:LINE, block B thread T" of the thread that is running.
std::string describe_running_thread();

}  // namespace cuco::vcluster
