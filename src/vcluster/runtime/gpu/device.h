// One virtual GPU: its multiprocessors, its memory and the grids that run on it.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/profile.h"
#include "vcluster/runtime/gpu/grid.h"
#include "vcluster/runtime/gpu/memory.h"
#include "vcluster/runtime/gpu/stream.h"
#include "vcluster/runtime/timing/links.h"

namespace cuco::vcluster {

// A host collective that asks for a place.
struct Guest {
  std::string what;
  std::function<void(uint32_t)> on_start;
};

class Device {
 public:
  Device(int rank, int node, const model::HardwareProfile& profile);

  void launch(KernelLaunch launch, std::function<void()> on_end);
  // Starts blocks while some multiprocessor has room. Grids of higher priority first, then in order of launch.
  void dispatch();
  void end_block(Block* block, const Grid& grid);
  void end_grid(Grid* grid);

  // A host collective runs as a block too: `on_start` is called, once some multiprocessor has room for it, with which
  // one that is. It goes before blocks that have not started.
  void admit(std::string what, std::function<void(uint32_t)> on_start);
  void leave(uint32_t sm);
  // Those that have found no room so far.
  const std::deque<Guest>& waiting_guests() const { return guests_; }

  // An illegal access, a trap or a failed assertion breaks the device for good: what runs or waits on it is dropped,
  // and calls return this cudaError_t from then on. 0: it works.
  int sticky_error() const { return sticky_error_; }
  void break_down(int error);
  // The host thread waits for an operation of this device.
  void add_waiting(HostThread& host, const OperationPtr& operation) { waiting_hosts_.emplace_back(&host, operation); }
  void remove_waiting(const HostThread& host);

  // When work ends that the block needs `alone` for by itself: others on its multiprocessor that are busy get equal
  // turns until they are done. Times that are given out stay, so a block that comes later does not slow those before
  // it; what that leaves undone, the last one at work has to wait for: no multiprocessor does more than it can.
  Time end_beside_others(const Block& block, Time begin, Time alone);

  // How many blocks of this shape fit on one multiprocessor.
  uint32_t resident_blocks(uint32_t threads, size_t shared_bytes) const;
  // Why such a block can never run, or empty.
  std::string refusal(uint64_t threads, size_t shared_bytes) const;

  Block* take_block();
  const std::list<std::unique_ptr<Grid>>& grids() const { return grids_; }
  Stream& default_stream() { return *streams.front(); }
  // What its clocks show.
  Time shown_time() const;

  const int rank;
  const int node;
  const model::GpuProfile gpu;
  LinkQueue inside, between;  // The ways out to ranks of the same node and of others.
  double slowness = 1;        // The seed makes some ranks slower than others.
  Time clock_lead = 0;        // Its own clocks are ahead of virtual time; see Harness::hide_pause.
  DeviceMemory memory;
  std::vector<std::unique_ptr<Stream>> streams;  // The first is the legacy default stream.

 private:
  struct Multiprocessor {
    Room used;
    Time work_end = 0;          // When all it was given could be done.
    std::vector<Block*> slots;  // Null where a block has left.
  };

  Room room_of(const Grid& grid) const;
  Room guest_room() const;
  int find_room(const Room& room) const;
  void seat_guests();

  std::vector<Multiprocessor> multiprocessors_;
  std::list<std::unique_ptr<Grid>> grids_;
  std::deque<Guest> guests_;
  int sticky_error_ = 0;
  std::list<std::unique_ptr<Grid>> dropped_;  // Kept: events that are under way name their blocks.
  std::vector<std::pair<HostThread*, OperationPtr>> waiting_hosts_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Block*> unused_blocks_;
};

}  // namespace cuco::vcluster
