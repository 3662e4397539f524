#include "vcluster/runtime/gpu/grid.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "base/text.h"
#include "vcluster/input_keys.h"
#include "vcluster/runtime/api/nccl/device_comm.h"
#include "vcluster/runtime/checkers/bounds.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/gpu/kernel_names.h"
#include "vcluster/runtime/recording/access_recorder.h"
#include "vcluster/runtime/recording/sample_account.h"
#include "vcluster/runtime/recording/validity.h"

extern "C" {
extern uint3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;
extern ptrdiff_t cuco_shared_distance;
extern void* cuco_dynamic_shared_base;
extern ptrdiff_t cuco_device_distance;
extern uint64_t cuco_own_tag;
}

namespace cuco::vcluster {

namespace {

uint64_t next_number = 1;

std::vector<uint3> indices_of(uint3 block) {
  std::vector<uint3> indices;
  indices.reserve(size_t{block.x} * block.y * block.z);
  for (uint32_t z = 0; z < block.z; z++)
    for (uint32_t y = 0; y < block.y; y++)
      for (uint32_t x = 0; x < block.x; x++) indices.push_back({x, y, z});
  return indices;
}

// Arguments begin with the function that is called.
void note_launch(const KernelLaunch& launch) {
  static std::map<std::pair<uint64_t, std::string>, std::string> names;
  uint64_t address = launch.arguments.empty() ? 0 : launch.arguments[0];
  std::string& name = names[{address, launch.name}];
  if (name.empty()) name = instance_name(launch.name, reinterpret_cast<const void*>(address));
  LaunchReport& said = world->launches[{launch.place, name}];
  said.kernel = name, said.place = launch.place;
  said.count++;
  auto widen = [](std::array<uint32_t, 3>& known, uint3 seen) {
    known = {std::max(known[0], seen.x), std::max(known[1], seen.y), std::max(known[2], seen.z)};
  };
  widen(said.grid, launch.grid);
  widen(said.block, launch.block);
}

}  // namespace

Grid::Grid(KernelLaunch launch, Device& device, std::function<void()> on_end)
    : launch_(std::move(launch)),
      arguments_(argument_pool().take(argument_bytes())),
      number_(next_number++),
      device_(device),
      on_end_(std::move(on_end)),
      thread_indices_(indices_of(launch_.block)),
      block_count_(uint64_t{launch_.grid.x} * launch_.grid.y * launch_.grid.z) {
  std::memcpy(arguments_, launch_.arguments.data(), argument_bytes());
  races().start_kernel(launch_.race_id, *this);
  look_at_arguments();
  share_cache();
  world->blocks_total += block_count_;
  note_launch(launch_);
  draw_sample();
  if (world->options.seed == 0 || block_count_ < 2) return;
  first_ = world->random.below(block_count_);
  do {
    stride_ = 1 + world->random.below(block_count_ - 1);
  } while (std::gcd(stride_, block_count_) != 1);
}

Grid::~Grid() { argument_pool().give_back(arguments_, argument_bytes()); }

// Grids of one shape begin with the same blocks in every run of the same key.
void Grid::draw_sample() {
  if (!world->options.sample || world->options.seed != 0) return;
  std::string shape = concat("blocks ", launch_.grid.x, " ", launch_.grid.y, " ", launch_.grid.z);
  uint64_t seed = keyed_seed(world->options.harness.run_key, shape);
  if (!keeps_validity) return void(sampled_order_.emplace(block_count_, seed));
  std::vector<uint64_t> first = {0};
  if (validity().is_apart && block_count_ > 1) first.push_back(block_count_ - 1);
  if (!validity().is_apart) first = first_blocks(size(), seed, !harness().wanted().empty());
  compared_.insert(first.begin(), first.end());
  sample_ = BlockSample(first.size());
  sampled_order_.emplace(std::move(first));
}

// The first blocks have shown how much there is to do and where.
void Grid::decide() {
  constexpr uint64_t kOperationsMax = 40'000'000;
  constexpr size_t kWantedBlocksMax = 4;
  if (is_decided_) return;
  is_decided_ = true;
  is_large_ = validity().is_apart || sample_.mean_operations() > kOperationsMax / block_count_;
  if (validity().is_apart || harness().wanted().empty()) return;
  for (uint64_t block : blocks_that_write(size(), writes_, harness().wanted(), kWantedBlocksMax))
    compared_.insert(block);
}

bool Grid::is_compared(const Block& block) {
  if (validity().is_apart) return false;
  if (!compared_.contains(block.index())) decide();
  return compared_.contains(block.index());
}

// What blocks that did not run would have written is not what it was.
void Grid::forget_unwritten() {
  const DeviceMemory& memory = device_.memory;
  for (const AddressRange& gap : gaps_between(writes_)) {
    const Allocation* allocation = memory.find(gap.begin);
    if (allocation && allocation == memory.find(gap.end)) validity().forget(gap.begin, gap.end - gap.begin);
  }
}

// Without a seed a sampled grid begins with blocks from all over it: the work of many kernels depends on the place.
uint64_t Grid::ordered(uint64_t position) const {
  return sampled_order_ ? sampled_order_->block_at(position) : (position * stride_ + first_) % block_count_;
}

// A kernel can reach other devices only by what it is given: windows, device communicators, peers' memory. What is
// hidden behind a further pointer shows when a block uses it.
void Grid::look_at_arguments() {
  for (uint64_t word : launch_.arguments) {
    reaches_peers = reaches_peers || is_window(reinterpret_cast<const void*>(word));
    auto owner = static_cast<size_t>(device_of(word));
    const Allocation* allocation = owner < world->devices.size() ? world->devices[owner]->memory.find(word) : nullptr;
    if (!allocation || allocation->freed) continue;
    if (world->devices[owner].get() != &device_)
      reaches_peers = true;
    else if (touched_.insert(allocation).second)
      footprint_ += static_cast<double>(allocation->footprint());
  }
  communicates = launch_.cooperative || reaches_peers;
}

void Grid::share_cache() {
  for (const std::unique_ptr<Grid>& other : device_.grids())
    if (other->launch_.run == launch_.run && other->touched_ == touched_) cache_ = other->cache_;
  if (!cache_) cache_ = std::make_shared<CacheShare>();
  cache_->count += block_count_;
}

double Grid::missing_share(uint64_t bytes) {
  cache_->moved += static_cast<double>(bytes);
  double by_all = cache_->moved / static_cast<double>(cache_->begun_count) * static_cast<double>(cache_->count);
  return cuco::vcluster::missing_share(footprint_, by_all, device_.gpu);
}

Room& Room::operator+=(const Room& other) {
  threads += other.threads, blocks += other.blocks, shared_bytes += other.shared_bytes;
  return *this;
}

Room& Room::operator-=(const Room& other) {
  threads -= other.threads, blocks -= other.blocks, shared_bytes -= other.shared_bytes;
  return *this;
}

// Not those that a trace needs to tell the others.
bool Grid::may_skip(const Block& block) {
  if (!world->options.sample || communicates || !sample_.is_complete()) return false;
  if (keeps_validity) {
    decide();
    return is_large_ && !compared_.contains(block.index());
  }
  if (launch_.access_record == 0) return true;
  return !model::is_telling(position_of(block.index()), {launch_.grid.x, launch_.grid.y, launch_.grid.z});
}

void Grid::note_turn(const Block& block, const BlockWork& work) {
  reaches_peers = reaches_peers || work.counters[PeerBytes] > 0;
  if (!block.finished() || reaches_peers) communicates = true;
  if (world->options.sample && !communicates) sample_.add(block.index(), work);
}

size_t Grid::shared_bytes() const {
  return padded_shared(launch_.process->shared_bytes) + launch_.dynamic_shared_bytes;
}

size_t Grid::occupied_shared_bytes() const {
  return padded_shared(launch_.static_shared_bytes) + launch_.dynamic_shared_bytes;
}

std::array<uint32_t, 3> Grid::position_of(uint64_t index) const {
  return {static_cast<uint32_t>(index % launch_.grid.x), static_cast<uint32_t>(index / launch_.grid.x % launch_.grid.y),
          static_cast<uint32_t>(index / launch_.grid.x / launch_.grid.y)};
}

void Grid::install(const Block& block) const {
  std::array<uint32_t, 3> at = position_of(block.index());
  blockIdx = {at[0], at[1], at[2]};
  cuco_own_tag = (kDeviceBase >> kDeviceShift) + static_cast<uint64_t>(device_.rank);
  blockDim = dim3(launch_.block);
  gridDim = dim3(launch_.grid);
  cuco_shared_distance = block.shared_memory() - launch_.process->shared_begin;
  cuco_device_distance = launch_.process->device_copies.at(&device_) - launch_.process->device_begin;
  cuco_dynamic_shared_base = block.shared_memory() + padded_shared(launch_.process->shared_bytes);
}

Block* Grid::start_next(uint32_t sm) {
  Block* block = device_.take_block();
  block->start(*this, ordered(next_block_++), shared_pool().take(shared_bytes()));
  allow_shared_memory(*block);
  block->sm = sm;
  block->started = block->busy_until = world->now();
  running_.push_back(block);
  Time jitter = world->options.seed == 0 ? 0 : static_cast<Time>(world->random.below(2 * kMicrosecond));
  world->events.at(world->now() + jitter, [this, block] { run_block(*block); });
  return block;
}

void Grid::run_block(Block& block) {
  if (is_dropped_ || block.finished()) return;
  cache_->begun_count += !block.begun();
  if (keeps_validity && !block.begun() && compared_.contains(block.index())) block.writes = &writes_[block.index()];
  if (!block.begun() && may_skip(block)) {
    BlockWork work = sample_.estimate(block.index());
    block.stand_in(work);
    sample_account().stood_for += operations_of(work.counters);
    world->blocks_skipped++;
    skipped_count_++;
  } else {
    block.run();
  }
  if (is_dropped_ || !block.finished()) return;
  world->note_progress();
  world->events.at(std::max(world->now(), block.busy_until), [this, &block] { end_block(block); });
}

void Grid::end_block(Block& block) {
  if (is_dropped_) return;
  world->done.blocks++;
  std::erase(running_, &block);
  races().end_block(block);
  access_recorder().on_block_end(block);
  world->timeline.add_block(
      {device_.rank, block.sm, block.slot, block.started, world->now(), launch_.name, block.index()});
  shared_pool().give_back(block.shared_memory(), shared_bytes());
  launch_.operation->blocks.push_back(block.computed);
  device_.end_block(&block, *this);
  if (++ended_count_ < block_count_) return;
  if (keeps_validity && skipped_count_ > 0) forget_unwritten();
  traffic.end(launch_.name, launch_.place);
  launch_.operation->alone = time_in_whole_blocks(launch_.operation->blocks, device_.gpu.sm_count);
  auto on_end = std::move(on_end_);
  device_.end_grid(this);
  on_end();
}

void Grid::grid_barrier(Block& block) {
  at_barrier_.push_back({&block, current_thread->index});
  if (at_barrier_.size() < block_count_ * threads_per_block()) {
    block.suspend({WaitKind::GridBarrier, 0, 0, 0});
    return;
  }
  world->note_progress();
  races().grid_barrier(*this);
  std::vector<Waiting> waiting = std::move(at_barrier_);
  at_barrier_.clear();
  for (const Waiting& other : waiting)
    if (other.block != &block || other.thread != current_thread->index)
      other.block->make_ready(other.thread, world->now() + world->costs.flag_hop);
  block.make_ready(current_thread->index, world->now() + world->costs.flag_hop);
  block.suspend({WaitKind::GridBarrier, 0, 0, 0});
}

std::string describe_running_thread() {
  const KernelLaunch& launch = current_block->grid().launch();
  return concat("kernel ", launch.name, " launched at ", launch.place, ", block ", current_block->index(), " thread ",
                current_thread->index, current_thread->place ? concat(" at ", current_thread->place) : "");
}

}  // namespace cuco::vcluster
