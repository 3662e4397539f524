#include "vcluster/runtime/harness/plain_outputs.h"

#include <algorithm>
#include <fstream>
#include <optional>

#include "base/text.h"
#include "cuco/element.h"
#include "vcluster/runtime/api/nccl/objects.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/harness/access.h"
#include "vcluster/runtime/harness/plain_loop.h"

namespace cuco::vcluster {

namespace {

constexpr size_t kKeptBytesMax = size_t{2} << 30;

bool enabled() { return world->options.harness.plain && !world->options.harness.capture_path.empty(); }

Element element_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
      return Element::Int8;
    case ncclUint8:
      return Element::UInt8;
    case ncclInt32:
      return Element::Int32;
    case ncclUint32:
      return Element::UInt32;
    case ncclInt64:
      return Element::Int64;
    case ncclUint64:
      return Element::UInt64;
    case ncclFloat16:
      return Element::Float16;
    case ncclFloat32:
      return Element::Float32;
    case ncclFloat64:
      return Element::Float64;
    case ncclBfloat16:
      return Element::BFloat16;
    case ncclFloat8e4m3:
      return Element::Float8E4M3;
    case ncclFloat8e5m2:
      return Element::Float8E5M2;
    default:
      return Element::UInt8;
  }
}

// Elements that the call leaves in its receive buffer; 0 where it has none.
uint64_t received_count(const CollectiveCall& call) {
  if (!call.receive) return 0;
  return call.count * model::messages_received(call.collective, call.comm->rank, call.root, call.comm->size());
}

DeviceMemory& memory_of(int rank) { return world->devices[static_cast<size_t>(rank)]->memory; }

// Memory that a rewritten program's library takes for itself (device/cuco/comm) is not counted: the original has none.
bool is_programs(const Allocation& allocation) {
  if (allocation.what == "ncclDevCommCreate") return false;
  constexpr std::string_view kLibrary = "cuco/comm/";
  size_t at = allocation.place.rfind(kLibrary);
  return at == std::string::npos || allocation.place.compare(at + kLibrary.size(), 13, "allocate.cuh:") == 0;
}

std::vector<const Allocation*> allocations_of(int rank) {
  std::vector<const Allocation*> all = memory_of(rank).all();
  std::erase_if(all, [](const Allocation* each) { return !is_programs(*each); });
  return all;
}

const Allocation* allocation_at(int rank, uint32_t number) {
  std::vector<const Allocation*> all = allocations_of(rank);
  return number < all.size() && !all[number]->freed ? all[number] : nullptr;
}

std::optional<uint32_t> number_of(int rank, const Allocation* wanted) {
  std::vector<const Allocation*> all = allocations_of(rank);
  auto found = std::find(all.begin(), all.end(), wanted);
  if (!wanted || found == all.end()) return std::nullopt;
  return static_cast<uint32_t>(found - all.begin());
}

}  // namespace

PlainOutputs& plain_outputs() {
  static PlainOutputs run;
  return run;
}

bool PlainOutputs::has_room(int rank, size_t bytes) {
  if (is_full_) return false;
  kept_bytes_ += bytes;
  is_full_ = kept_bytes_ > kKeptBytesMax;
  if (is_full_)
    world->add_warning("capture", rank, "more than 2 GiB are copied to the host; later copies are not compared");
  return !is_full_;
}

AskedCopy PlainOutputs::ask() {
  const HostThread* thread = world->current_host;
  return {thread->process->rank, thread->number, asked_++};
}

void PlainOutputs::on_copy(const AskedCopy& asked, const void* target, const void* source, size_t bytes,
                           const std::string& what) {
  auto address = reinterpret_cast<uintptr_t>(source);
  int rank = device_of(address);
  if (!enabled() || rank < 0 || device_of(reinterpret_cast<uintptr_t>(target)) >= 0 || !has_room(rank, bytes)) return;
  const Allocation* allocation = memory_of(rank).find(address);
  std::vector<Copy>& copies = of(rank).copies;
  auto later = std::ranges::upper_bound(copies, asked, {}, &Copy::asked);
  copies.insert(later,
                {asked, world->now(), what, std::string(static_cast<const char*>(target), bytes),
                 number_of(rank, allocation).value_or(UINT32_MAX), allocation ? address - allocation->begin : 0});
}

void PlainOutputs::on_group(int rank, const std::vector<CollectiveCall>& calls) {
  if (!enabled()) return;
  std::vector<Received> received;
  for (const CollectiveCall& call : calls) {
    auto address = reinterpret_cast<uintptr_t>(call.receive);
    const Allocation* allocation = received_count(call) > 0 ? memory_of(rank).find(address) : nullptr;
    if (std::optional<uint32_t> number = number_of(rank, allocation))
      received.push_back(
          {*number, address - allocation->begin, received_count(call), static_cast<uint32_t>(element_of(call.type))});
  }
  if (!received.empty()) of(rank).received = std::move(received);
}

std::vector<PlainOutputs::Received> PlainOutputs::watched(int rank) {
  const std::vector<Watch>& watches = world->options.harness.watches;
  if (watches.empty()) return of(rank).received;
  std::vector<Received> result;
  for (const Watch& watch : watches)
    if (watch.rank == rank) result.push_back({watch.allocation, watch.offset, watch.count, watch.element});
  return result;
}

void PlainOutputs::take(int rank, uint32_t iteration, const void* only) {
  uint32_t buffer = 0;
  for (const Received& received : watched(rank)) {
    CapturedOutput output;
    output.rank = static_cast<uint32_t>(rank);
    output.iteration = iteration;
    output.buffer = buffer++;
    output.element = received.element;
    output.count = received.count;
    output.name = concat("allocation ", received.allocation, " at byte ", received.offset);
    const Allocation* allocation = allocation_at(rank, received.allocation);
    uint64_t bytes = received.count * bytes_of(static_cast<Element>(received.element));
    if (!allocation || (only && reinterpret_cast<uintptr_t>(only) != allocation->begin)) continue;
    if (received.offset + bytes > allocation->bytes) continue;
    output.bytes.assign(reinterpret_cast<const char*>(allocation->begin + received.offset), bytes);
    of(rank).snapshots[{iteration, output.buffer}] = std::move(output);
  }
}

void PlainOutputs::on_timed(int rank, Time begin, Time end) {
  if (!enabled()) return;
  Rank& self = of(rank);
  self.first_timed = std::min(self.first_timed.value_or(begin), begin);
  if (end - begin <= self.longest || plain_loop().runs() || plain_loop().has_timed(rank)) return;
  self.longest = end - begin;
  take(rank, 0, nullptr);
}

void PlainOutputs::on_marked(int rank) {
  if (enabled() && !plain_loop().runs()) take(rank, 0, nullptr);
}

void PlainOutputs::on_free(const void* address) {
  int rank = device_of(reinterpret_cast<uintptr_t>(address));
  if (enabled() && address && rank >= 0 && static_cast<size_t>(rank) < world->devices.size()) take(rank, 1, address);
}

std::vector<ReadBack> PlainOutputs::places_of(int rank) {
  std::vector<ReadBack> places;
  for (const ReadBack& place : world->options.harness.read_backs)
    if (place.rank == rank) places.push_back(place);
  if (!world->options.harness.read_backs.empty()) return places;
  for (const Received& received : watched(rank))
    places.push_back({rank, static_cast<uint32_t>(places.size()), received.allocation, received.offset,
                      received.count * bytes_of(static_cast<Element>(received.element)), ""});
  return places;
}

void PlainOutputs::end_call(const void* lane, int rank, uint32_t call) {
  constexpr uint32_t kFirstCall = 2;
  for (const ReadBack& place : places_of(rank)) {
    const Allocation* allocation = allocation_at(rank, place.allocation);
    if (!allocation || place.offset + place.bytes > allocation->bytes) continue;
    const auto* memory = reinterpret_cast<const char*>(allocation->begin + place.offset);
    std::string how = place.what.empty() ? "looks at what it received" : concat("makes ", place.what);
    note_local_access(lane, memory, place.bytes, AccessKind::Read,
                      concat("the program, which ", how, " at the end of call ", call, ","));
    if (enabled() && !place.what.empty()) keep(place, kFirstCall + call, memory);
  }
  if (enabled() && world->options.harness.read_backs.empty()) take(rank, kFirstCall + call, nullptr);
}

void PlainOutputs::keep(const ReadBack& place, uint32_t iteration, const char* memory) {
  if (!has_room(place.rank, place.bytes)) return;
  CapturedOutput& output = calls_.emplace_back();
  output.rank = static_cast<uint32_t>(place.rank);
  output.iteration = iteration;
  output.buffer = place.buffer;
  output.element = static_cast<uint32_t>(Element::UInt8);
  output.count = place.bytes;
  output.name = place.what;
  output.bytes.assign(memory, place.bytes);
}

bool PlainOutputs::is_output(int rank, const Rank& from, const Copy& copy) const {
  bool by_events = from.first_timed && !plain_loop().has_begun(rank);
  return copy.end >= (by_events ? *from.first_timed : plain_loop().begin_of(rank));
}

bool PlainOutputs::add_copies(Capture& capture, int rank, const Rank& from) const {
  uint32_t buffer = 0;
  for (const Copy& copy : from.copies) {
    if (!is_output(rank, from, copy)) continue;
    CapturedOutput& output = capture.emplace_back();
    output.rank = static_cast<uint32_t>(rank);
    output.buffer = buffer++;
    output.element = static_cast<uint32_t>(Element::UInt8);
    output.count = copy.bytes.size();
    output.name = copy.name;
    output.bytes = copy.bytes;
  }
  return buffer > 0;
}

void PlainOutputs::fill(RunReport& report) const {
  for (const auto& [rank, outputs] : ranks_) {
    uint32_t buffer = 0;
    for (const Copy& copy : outputs.copies)
      if (is_output(rank, outputs, copy))
        report.read_backs.push_back({rank, buffer++, copy.allocation, copy.offset, copy.bytes.size(), copy.name});
  }
}

void PlainOutputs::write() {
  if (!enabled()) return;
  Capture capture;
  bool any_copy = false;
  for (const auto& [rank, outputs] : ranks_) any_copy = add_copies(capture, rank, outputs) || any_copy;
  for (size_t rank = 0; rank < world->devices.size() && !any_copy; rank++) {
    take(static_cast<int>(rank), 1, nullptr);
    for (const auto& [key, output] : of(static_cast<int>(rank)).snapshots) capture.push_back(output);
  }
  capture.insert(capture.end(), calls_.begin(), calls_.end());
  std::ofstream file(world->options.harness.capture_path, std::ios::binary | std::ios::trunc);
  for (const CapturedOutput& output : capture) file << to_record(output);
  if (!file.flush())
    world->add_finding("capture", -1, concat("the outputs cannot be written to ", world->options.harness.capture_path));
}

}  // namespace cuco::vcluster
