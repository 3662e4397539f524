#include "vcluster/runtime/gpu/device.h"

#include <algorithm>

#include "base/text.h"
#include "vcluster/runtime/engine/world.h"

namespace cuco::vcluster {

namespace {

constexpr uint64_t kThreadsPerBlockMax = 1024;
constexpr size_t kReservedSharedBytes = 1024;  // Of every block, by the driver, since compute capability 8.0.
// Estimate of a channel of NCCL's kernels. One is enough for a collective to make progress.
constexpr uint32_t kChannelThreads = 512;
constexpr size_t kChannelSharedBytes = 48u << 10;

}  // namespace

Device::Device(int device_rank, int device_node, const model::HardwareProfile& profile)
    : rank(device_rank),
      node(device_node),
      gpu(profile.gpu),
      memory(device_rank),
      multiprocessors_(profile.gpu.sm_count) {
  streams.push_back(std::make_unique<Stream>(*this, StreamKind::Legacy, 0));
}

void Device::launch(KernelLaunch launch, std::function<void()> on_end) {
  auto grid = std::make_unique<Grid>(std::move(launch), *this, std::move(on_end));
  grid->room = room_of(*grid);
  auto lower = [&](const std::unique_ptr<Grid>& other) { return other->launch().priority < grid->launch().priority; };
  grids_.insert(std::find_if(grids_.begin(), grids_.end(), lower), std::move(grid));
  dispatch();
}

void Device::admit(std::string what, std::function<void(uint32_t)> on_start) {
  guests_.push_back({std::move(what), std::move(on_start)});
  seat_guests();
}

void Device::seat_guests() {
  while (!guests_.empty()) {
    int sm = find_room(guest_room());
    if (sm < 0) return;
    multiprocessors_[static_cast<size_t>(sm)].used += guest_room();
    Guest guest = std::move(guests_.front());
    guests_.pop_front();
    guest.on_start(static_cast<uint32_t>(sm));
  }
}

void Device::leave(uint32_t sm) {
  multiprocessors_[sm].used -= guest_room();
  dispatch();
}

void Device::break_down(int error) {
  if (sticky_error_ != 0) return;
  sticky_error_ = error;
  guests_.clear();
  for (const std::unique_ptr<Grid>& grid : grids_) grid->drop();
  dropped_ = std::move(grids_);
  grids_.clear();
  for (const auto& [host, operation] : waiting_hosts_) {
    if (operation->done) continue;
    std::erase(operation->waiting_hosts, host);
    world->wake(*host, world->now() + world->costs.stream_sync);
  }
}

void Device::remove_waiting(const HostThread& host) {
  std::erase_if(waiting_hosts_, [&](const auto& waiting) { return waiting.first == &host; });
}

void Device::dispatch() {
  if (sticky_error_ != 0) return;
  seat_guests();
  for (const std::unique_ptr<Grid>& grid : grids_) {
    while (grid->has_unstarted()) {
      int sm = find_room(grid->room);
      if (sm < 0) break;
      Multiprocessor& room = multiprocessors_[static_cast<size_t>(sm)];
      Block* block = grid->start_next(static_cast<uint32_t>(sm));
      auto slot = std::find(room.slots.begin(), room.slots.end(), nullptr);
      if (slot == room.slots.end()) slot = room.slots.insert(slot, nullptr);
      *slot = block;
      block->slot = static_cast<uint32_t>(slot - room.slots.begin());
      room.used += grid->room;
    }
  }
}

Room Device::guest_room() const { return {kChannelThreads, 1, kChannelSharedBytes}; }

Room Device::room_of(const Grid& grid) const {
  return {grid.threads_per_block(), 1, grid.occupied_shared_bytes() + kReservedSharedBytes};
}

// Where the fewest blocks are.
int Device::find_room(const Room& room) const {
  int best = -1;
  auto load_of = [&](size_t sm) { return multiprocessors_[sm].used.blocks; };
  for (size_t i = 0; i < multiprocessors_.size(); i++) {
    const Room& used = multiprocessors_[i].used;
    bool fits = used.threads + room.threads <= gpu.threads_per_sm_max &&
                used.blocks + room.blocks <= gpu.blocks_per_sm_max &&
                used.shared_bytes + room.shared_bytes <= size_t{gpu.shared_kib_per_sm} * 1024;
    if (!fits) continue;
    if (used.threads == 0) return static_cast<int>(i);
    if (best < 0 || load_of(i) < load_of(static_cast<size_t>(best))) best = static_cast<int>(i);
  }
  return best;
}

void Device::end_block(Block* block, const Grid& grid) {
  Multiprocessor& room = multiprocessors_[block->sm];
  room.used -= grid.room;
  room.slots[block->slot] = nullptr;
  unused_blocks_.push_back(block);
  dispatch();
}

void Device::end_grid(Grid* grid) {
  std::erase_if(grids_, [&](const std::unique_ptr<Grid>& other) { return other.get() == grid; });
}

Time Device::end_beside_others(const Block& block, Time begin, Time alone) {
  Multiprocessor& sm = multiprocessors_[block.sm];
  // From this instant on: where a block's work reaches to beyond it, it may wait for a link, and others can work.
  sm.work_end = std::max(sm.work_end, world->now()) + alone;
  Time turns = begin + alone;
  for (const Block* other : sm.slots)
    if (other && other != &block) turns += std::clamp<Time>(other->busy_until - begin, 0, alone);
  Time end = std::max(begin + alone, std::min(turns, sm.work_end));
  bool others_go_on = std::any_of(sm.slots.begin(), sm.slots.end(), [&](const Block* other) {
    return other && other != &block && other->busy_until > end;
  });
  return others_go_on ? end : std::max(end, sm.work_end);
}

Block* Device::take_block() {
  if (unused_blocks_.empty()) return blocks_.emplace_back(std::make_unique<Block>()).get();
  Block* block = unused_blocks_.back();
  unused_blocks_.pop_back();
  return block;
}

Time Device::shown_time() const { return world->now() + clock_lead; }

uint32_t Device::resident_blocks(uint32_t threads, size_t shared_bytes) const {
  if (threads == 0 || !refusal(threads, shared_bytes).empty()) return 0;
  uint32_t warps = (threads + 31) / 32 * 32;
  size_t by_shared = size_t{gpu.shared_kib_per_sm} * 1024 / (shared_bytes + kReservedSharedBytes);
  return std::min({gpu.threads_per_sm_max / warps, gpu.blocks_per_sm_max, static_cast<uint32_t>(by_shared)});
}

std::string Device::refusal(uint64_t threads, size_t shared_bytes) const {
  size_t shared_max = size_t{gpu.shared_kib_per_sm} * 1024 - kReservedSharedBytes;
  if (threads == 0 || threads > kThreadsPerBlockMax)
    return concat("a block of ", threads, " threads; 1 to ", kThreadsPerBlockMax, " are allowed");
  if (shared_bytes > shared_max) return concat(shared_bytes, " bytes of shared memory; ", shared_max, " are there");
  return "";
}

}  // namespace cuco::vcluster
