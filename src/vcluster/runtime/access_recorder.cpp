#include "vcluster/runtime/access_recorder.h"

#include "vcluster/runtime/device.h"
#include "vcluster/runtime/harness.h"
#include "vcluster/runtime/nccl_objects.h"
#include "vcluster/runtime/world.h"

namespace cuco::vcluster {

bool keeps_accesses = false;

namespace {

// A loop of a program without a harness may come by one place for ever.
constexpr uint32_t kStepsOfPlaceMax = 64;

bool is_kept_now() { return keeps_accesses && (!world->options.harness.expected || harness().is_in_iteration(0)); }

}  // namespace

AccessRecorder& access_recorder() {
  static AccessRecorder run;
  return run;
}

std::vector<model::TracedStep>& AccessRecorder::steps_of(int rank) {
  trace_.ranks.resize(world->devices.size());
  return trace_.ranks[static_cast<size_t>(rank)];
}

uint32_t AccessRecorder::on_launch(const KernelLaunch& launch, const Stream& stream) {
  int rank = stream.device().rank;
  if (!is_kept_now() || seen_[{rank, launch.place}]++ >= kStepsOfPlaceMax) return 0;
  model::TracedStep step;
  step.place = launch.place;
  step.stream = static_cast<uint32_t>(stream.number());
  step.is_launch = true;
  step.launch.kernel = launch.name;
  step.launch.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  step.launch.block = {launch.block.x, launch.block.y, launch.block.z};
  step.launch.blocks.resize(size_t{launch.grid.x} * launch.grid.y * launch.grid.z);
  steps_of(rank).push_back(std::move(step));
  launches_.push_back({rank, steps_of(rank).size() - 1});
  return static_cast<uint32_t>(launches_.size());
}

void AccessRecorder::on_call(const CollectiveCall& call, const Stream& stream) {
  constexpr size_t kAt = 4;  // Of " at ", which leads the place of a call.
  int rank = stream.device().rank;
  if (!is_kept_now() || seen_[{rank, call.place}]++ >= kStepsOfPlaceMax) return;
  model::TracedStep step;
  step.place = call.place.size() > kAt ? call.place.substr(kAt) : "";
  step.stream = static_cast<uint32_t>(stream.number());
  step.call = {call.name,
               call.count * nccl_size_of(call.type),
               call.peer >= 0 ? call.peer : call.root,
               call.comm->rank,
               call.comm->size(),
               place_of(rank, call.send),
               place_of(rank, call.receive)};
  steps_of(rank).push_back(std::move(step));
}

uint32_t AccessRecorder::number_of(int rank, const Allocation& allocation) {
  if (auto known = numbers_.find(&allocation); known != numbers_.end()) return known->second;
  std::vector<const Allocation*> all = world->devices[static_cast<size_t>(rank)]->memory.all();
  for (uint32_t i = 0; i < all.size(); i++) numbers_[all[i]] = i;
  return numbers_[&allocation];
}

model::TracedPlace AccessRecorder::place_of(int rank, const void* pointer) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  const Allocation* allocation = world->devices[static_cast<size_t>(rank)]->memory.find(address);
  if (!allocation) return {};
  return {true, number_of(rank, *allocation), address - allocation->begin};
}

AccessRecorder::OpenBlock& AccessRecorder::running() {
  if (current_block == last_block_) return *last_open_;
  last_block_ = current_block;
  last_open_ = &open_[{current_block->grid().launch().access_record, current_block->index()}];
  return *last_open_;
}

void AccessRecorder::on_access(uintptr_t address, uint64_t bytes, bool reads, bool writes) {
  if (current_block->grid().launch().access_record == 0) return;
  if (address >= kSharedBase && address < kSharedEnd) return;
  if (address >= kDeviceStackBase && address < kHostStackBase) return;
  const Device& device = current_block->grid().device();
  OpenBlock& block = running();
  bool is_known = last_allocation_ && address - last_allocation_->begin < last_allocation_->bytes;
  if (!is_known) last_allocation_ = device_of(address) == device.rank ? device.memory.find(address) : nullptr;
  if (!last_allocation_) {
    block.reaches_elsewhere = block.reaches_elsewhere || writes;
    return;
  }
  uint64_t begin = address - last_allocation_->begin;
  uint32_t buffer = number_of(device.rank, *last_allocation_);
  if (reads) block.touched[{buffer, false}].add(begin, begin + bytes);
  if (writes) block.touched[{buffer, true}].add(begin, begin + bytes);
}

void AccessRecorder::on_block_end(const Block& block) {
  uint32_t number = block.grid().launch().access_record;
  if (number == 0) return;
  const Kept& kept = launches_[number - 1];
  model::TracedLaunch& launch = trace_.ranks[static_cast<size_t>(kept.rank)][kept.step].launch;
  model::TracedBlock& traced = launch.blocks[block.index()];
  uint64_t index = block.index();
  traced.index = {static_cast<uint32_t>(index % launch.grid[0]),
                  static_cast<uint32_t>(index / launch.grid[0] % launch.grid[1]),
                  static_cast<uint32_t>(index / launch.grid[0] / launch.grid[1])};
  auto open = open_.extract({number, index});
  last_block_ = nullptr;
  if (open.empty()) return;
  traced.reaches_elsewhere = open.mapped().reaches_elsewhere;
  for (const auto& [what, bytes] : open.mapped().touched) {
    traced.footprints.push_back(bytes.footprint());
    traced.footprints.back().buffer = what.first;
    traced.footprints.back().written = what.second;
  }
}

}  // namespace cuco::vcluster
