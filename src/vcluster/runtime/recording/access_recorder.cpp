#include "vcluster/runtime/recording/access_recorder.h"

#include <algorithm>
#include <cstring>

#include "vcluster/runtime/api/nccl/objects.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/harness/harness.h"

namespace cuco::vcluster {

bool keeps_accesses = false;
bool only_keeps_accesses = false;
AccessRecorder run_accesses;

namespace {

// A loop of a program without a harness may come by one place for ever.
constexpr uint32_t kStepsOfPlaceMax = 64;

// What is kept of a block takes a few hundred bytes, and every one needs a stamp.
constexpr uint64_t kBlocksMax = uint64_t{1} << 22;
static_assert(kBlocksMax <= TouchStamps::kStampsMax);

bool is_kept_now() { return keeps_accesses && (!world->options.harness.expected || harness().is_in_iteration(0)); }

model::Footprint with_place(model::Footprint print, const std::pair<uint32_t, bool>& what) {
  print.buffer = what.first;
  print.written = what.second;
  return print;
}

}  // namespace

std::vector<model::TracedStep>& AccessRecorder::steps_of(int rank) {
  trace_.ranks.resize(world->devices.size());
  return trace_.ranks[static_cast<size_t>(rank)];
}

uint32_t AccessRecorder::on_launch(const KernelLaunch& launch, const Stream& stream) {
  int rank = stream.device().rank;
  uint64_t blocks = uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  if (!is_kept_now() || seen_[{rank, launch.place}]++ >= kStepsOfPlaceMax) return 0;
  if (block_count_ + blocks > kBlocksMax) return 0;
  block_count_ += blocks;
  model::TracedStep step;
  step.place = launch.place;
  step.stream = static_cast<uint32_t>(stream.number());
  step.is_launch = true;
  step.launch.kernel = launch.name;
  step.launch.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  step.launch.block = {launch.block.x, launch.block.y, launch.block.z};
  if (!world->options.sample) step.launch.blocks.resize(blocks);
  step.launch.pointers = pointers_of(rank, launch);
  step.launch.numbers = numbers_of(rank, launch);
  steps_of(rank).push_back(std::move(step));
  launches_.push_back({rank, steps_of(rank).size() - 1});
  return static_cast<uint32_t>(launches_.size());
}

// An argument reaches from its offset to where the next one in memory begins.
std::vector<model::TracedPointer> AccessRecorder::pointers_of(int rank, const KernelLaunch& launch) {
  std::vector<model::TracedPointer> pointers;
  for (uint32_t parameter = 0; parameter < launch.argument_offsets.size(); parameter++) {
    size_t begin = launch.argument_offsets[parameter], end = 8 * launch.arguments.size();
    for (size_t other : launch.argument_offsets)
      if (other > begin) end = std::min(end, other);
    for (size_t at = (begin + 7) / 8 * 8; at + 8 <= end; at += 8)
      if (model::TracedPlace place = place_of(rank, reinterpret_cast<const void*>(launch.arguments[at / 8]));
          place.used)
        pointers.push_back({parameter, static_cast<uint32_t>(at - begin), place.buffer, place.offset});
  }
  return pointers;
}

// Pointers are no numbers: they lead elsewhere in every run.
std::vector<model::TracedNumber> AccessRecorder::numbers_of(int rank, const KernelLaunch& launch) {
  std::vector<model::TracedNumber> numbers;
  const auto* bytes = reinterpret_cast<const char*>(launch.arguments.data());
  auto leads_to_memory = [&](size_t at) {
    return at % 8 == 0 && place_of(rank, reinterpret_cast<const void*>(launch.arguments[at / 8])).used;
  };
  for (uint32_t parameter = 0; parameter < launch.argument_offsets.size(); parameter++) {
    size_t begin = launch.argument_offsets[parameter], size = launch.argument_sizes[parameter];
    for (size_t field = 0, step = 0; field < size; field += step) {
      bool is_pointer = field + 8 <= size && leads_to_memory(begin + field);
      step = is_pointer || size <= 8 ? 8 : 4;
      int64_t value = 0;
      std::memcpy(&value, bytes + begin + field, std::min(step, size - field));
      if (!is_pointer) numbers.push_back({parameter, static_cast<uint32_t>(field), value});
    }
  }
  return numbers;
}

void AccessRecorder::on_call(const CollectiveCall& call, const Stream& stream) {
  constexpr size_t kAt = 4;  // Of " at ", which leads the place of a call.
  int rank = stream.device().rank;
  if (!is_kept_now() || seen_[{rank, call.place}]++ >= kStepsOfPlaceMax) return;
  model::TracedStep step;
  step.place = call.place.size() > kAt ? call.place.substr(kAt) : "";
  step.stream = static_cast<uint32_t>(stream.number());
  step.call = {call.collective,
               call.count * nccl_size_of(call.type),
               call.peer >= 0 ? call.peer : call.root,
               call.comm->rank,
               call.comm->size(),
               place_of(rank, call.send),
               place_of(rank, call.receive),
               static_cast<uint32_t>(nccl_size_of(call.type))};
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
  if (last_open_->stamp == 0) last_open_->stamp = stamps_.next_stamp();
  stamps_.run_as(last_open_->stamp);
  return *last_open_;
}

const Allocation* AccessRecorder::own_allocation(const Device& device, uintptr_t address) {
  if (device_of(address) != device.rank) return nullptr;
  if (last_allocation_ && address - last_allocation_->begin < last_allocation_->bytes) return last_allocation_;
  last_allocation_ = device.memory.find(address);
  if (last_allocation_) last_number_ = number_of(device.rank, *last_allocation_);
  return last_allocation_;
}

void AccessRecorder::on_access(uintptr_t address, uint64_t bytes, bool reads, bool writes) {
  if (current_block->grid().launch().access_record == 0) return;
  if (address >= kSharedBase && address < kSharedEnd) return;
  if (address >= kDeviceStackBase && address < kHostStackBase) return;
  OpenBlock& block = running();
  const Allocation* allocation = own_allocation(current_block->grid().device(), address);
  if (!allocation) {
    block.reaches_elsewhere = block.reaches_elsewhere || writes;
    return;
  }
  uint64_t begin = address - allocation->begin;
  if (reads) block.touched[{last_number_, false}].add(begin, begin + bytes);
  if (writes) block.touched[{last_number_, true}].add(begin, begin + bytes);
  stamps_.note(address, bytes, reads, writes);
}

void AccessRecorder::on_atomic_update(uintptr_t address, uint64_t bytes) {
  on_access(address, bytes, true, true);
  if (current_block->grid().launch().access_record == 0) return;
  if (own_allocation(current_block->grid().device(), address)) running().updated.insert(last_number_);
}

void AccessRecorder::on_block_end(const Block& block) {
  uint32_t number = block.grid().launch().access_record;
  if (number == 0) return;
  const Kept& kept = launches_[number - 1];
  model::TracedLaunch& launch = trace_.ranks[static_cast<size_t>(kept.rank)][kept.step].launch;
  uint64_t index = block.index();
  if (world->options.sample && !open_.contains({number, index})) return;
  model::TracedBlock& traced = world->options.sample ? launch.blocks.emplace_back() : launch.blocks[index];
  traced.index = block.grid().position_of(index);
  auto open = open_.extract({number, index});
  last_block_ = nullptr;
  if (open.empty()) return;
  traced.reaches_elsewhere = open.mapped().reaches_elsewhere;
  traced.updated.assign(open.mapped().updated.begin(), open.mapped().updated.end());
  for (auto& [what, bytes] : open.mapped().touched) {
    traced.footprints.push_back(with_place(bytes.footprint(), what));
    if (traced.footprints.back().exact) continue;
    for (const model::Footprint& piece : bytes.pieces()) traced.pieces.push_back(with_place(piece, what));
  }
}

std::string AccessRecorder::to_json() {
  for (const std::unique_ptr<Device>& device : world->devices) {
    trace_.buffers.emplace_back();
    for (const Allocation* each : device->memory.all()) trace_.buffers.back().push_back({each->bytes, each->what});
  }
  // GPUs of the nodes that nobody used.
  while (trace_.ranks.size() > 1 && trace_.ranks.back().empty() && trace_.buffers.back().empty()) {
    trace_.ranks.pop_back();
    trace_.buffers.pop_back();
  }
  return model::to_json(trace_);
}

}  // namespace cuco::vcluster
