#include "vcluster/runtime/harness/buffers.h"

#include <cstring>

#include "base/text.h"
#include "vcluster/input_keys.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/checkers/shadow.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/recording/validity.h"

namespace cuco::vcluster {

namespace {

constexpr int kPoison = 0xff;  // NaN in every floating-point format.

uintptr_t address_of(const HarnessBuffer& buffer) { return reinterpret_cast<uintptr_t>(buffer.said.pointer); }

Element element_of(const HarnessBuffer& buffer) { return static_cast<Element>(buffer.said.element); }

bool is_on_device(const HarnessBuffer& buffer) { return device_of(address_of(buffer)) >= 0; }

// Memory of full-size programs would not fit into the host's; what decides their control flow is small.
bool is_filled(const HarnessBuffer& buffer) {
  constexpr uint64_t kSampledBytesMax = 64 << 10;
  return buffer.said.count > 0 && (!world->options.harness.sampled || buffer.bytes() <= kSampledBytesMax);
}

void poison(const HarnessBuffer& buffer) {
  std::memset(buffer.said.pointer, kPoison, buffer.bytes());
  if (world->options.check && is_on_device(buffer))
    shadow().put_written(address_of(buffer), WrittenFlags(buffer.bytes(), false));
}

void nudge_input(const HarnessBuffer& buffer, const RankKey& key, const DrawnInputs& inputs) {
  Element element = element_of(buffer);
  if (!is_floating(element) || bytes_of(element) < 4) return;
  uint64_t base = draw_detail::base_of({key, inputs.iteration, ~buffer.index});
  for (uint64_t i = 0; i < buffer.said.count; i++) {
    double sign = draw(integers(0, 1), base, i) == 0 ? inputs.nudge : -inputs.nudge;
    double value = load_element(element, buffer.said.pointer, i);
    store_element(element, buffer.said.pointer, i, value * (1 + sign * 0x1.0p-14));
  }
}

void draw_input(const HarnessBuffer& buffer, const RankKey& key, const DrawnInputs& inputs) {
  Distribution distribution = {static_cast<Distribution::Kind>(buffer.said.distribution), buffer.said.a, buffer.said.b};
  draw_all(element_of(buffer), distribution, {key, inputs.iteration, buffer.index}, buffer.said.pointer,
           buffer.said.count);
  if (inputs.nudge != 0) nudge_input(buffer, key, inputs);
  if (world->options.check && is_on_device(buffer)) shadow().set_written(address_of(buffer), buffer.bytes());
}

// Large memory is filled where somebody reads it.
void prepare_later(const HarnessBuffer& buffer, const RankKey& key, const DrawnInputs& inputs) {
  if (buffer.said.role != kInputRole) return validity().forget(address_of(buffer), buffer.bytes());
  DrawnMemory memory;
  memory.begin = address_of(buffer);
  memory.end = memory.begin + buffer.bytes();
  memory.element = element_of(buffer);
  memory.distribution = {static_cast<Distribution::Kind>(buffer.said.distribution), buffer.said.a, buffer.said.b};
  memory.base = draw_detail::base_of({key, inputs.iteration, buffer.index});
  validity().draw_later(memory);
}

CapturedOutput described(const HarnessBuffer& buffer, uint32_t rank, uint32_t iteration) {
  CapturedOutput output;
  output.rank = rank;
  output.iteration = iteration;
  output.buffer = buffer.index;
  output.element = buffer.said.element;
  output.absolute = buffer.said.absolute;
  output.relative = buffer.said.relative;
  output.name = buffer.name;
  return output;
}

// The elements that lie in the range as a whole.
void add_part(const HarnessBuffer& buffer, Validity::Range range, CapturedOutput part, Capture& capture) {
  size_t element = bytes_of(element_of(buffer));
  uint64_t first = (range.begin - address_of(buffer) + element - 1) / element;
  uint64_t end = (range.end - address_of(buffer)) / element;
  if (first >= end) return;
  part.is_part = true;
  part.first = first;
  part.count = end - first;
  part.bytes.assign(static_cast<const char*>(buffer.said.pointer) + first * element, part.count * element);
  capture.push_back(std::move(part));
}

constexpr uint64_t kCellBytes = 256;  // Parts are chosen by these.
constexpr uint64_t kPartBytesMax = 4 << 20;
constexpr size_t kScratchPartsMax = 16;

// Which cells of a buffer are captured where not all can be: another run of the same key chooses the same ones, or more
// or fewer of them in the same order.
class ChosenCells {
 public:
  ChosenCells(const HarnessBuffer& buffer, uint32_t rank, uint64_t valid_bytes)
      : base_(keyed_seed(world->options.harness.run_key, concat("cells ", rank, " ", buffer.index))) {
    if (valid_bytes > kPartBytesMax) least_ = UINT64_MAX / valid_bytes * kPartBytesMax;
  }
  bool have(uint64_t cell) const { return draw_detail::mix(base_ + 0x9e3779b97f4a7c15u * (cell + 1)) <= least_; }

 private:
  uint64_t base_, least_ = UINT64_MAX;
};

void add_parts(const HarnessBuffer& buffer, const CapturedOutput& part, Capture& capture) {
  uintptr_t begin = address_of(buffer);
  std::vector<Validity::Range> ranges = validity().ready_ranges(begin, buffer.bytes());
  uint64_t valid_bytes = 0;
  for (const Validity::Range& range : ranges) valid_bytes += range.end - range.begin;
  ChosenCells chosen(buffer, part.rank, valid_bytes);
  for (const Validity::Range& range : ranges)
    for (uintptr_t at = range.begin; at < range.end;) {
      uint64_t cell = (at - begin) / kCellBytes;
      uintptr_t end = std::min(range.end, begin + (cell + 1) * kCellBytes);
      if (chosen.have(cell))
        for (const Validity::Range& valid : validity().provided_ranges(at, end - at))
          add_part(buffer, valid, part, capture);
      at = end;
    }
}

void add_few_parts(const HarnessBuffer& buffer, CapturedOutput part, Capture& capture) {
  std::vector<Validity::Range> ranges = validity().valid_ranges(address_of(buffer), buffer.bytes());
  part.is_scratch = true;
  size_t element = bytes_of(element_of(buffer)), count = std::min(ranges.size(), kScratchPartsMax);
  for (size_t i = 0; i < count; i++) {
    uintptr_t at = ranges[i * ranges.size() / count].begin;
    add_part(buffer, {at, std::min(ranges[i * ranges.size() / count].end, at + 2 * element)}, part, capture);
  }
}

std::string room_fault(const cuco_buffer& said, uint64_t bytes) {
  auto address = reinterpret_cast<uintptr_t>(said.pointer);
  int rank = device_of(address);
  if (rank < 0 || static_cast<size_t>(rank) >= world->devices.size()) return "";
  const Allocation* allocation = world->devices[static_cast<size_t>(rank)]->memory.find(address);
  if (!allocation || allocation->freed) return concat("buffer ", said.name, " is not in memory that is allocated");
  size_t room = allocation->begin + allocation->bytes - address;
  if (room >= bytes) return "";
  return concat("buffer ", said.name, " is said to have ", bytes, " bytes, but only ", room, " are left of ",
                allocation->what);
}

}  // namespace

uint64_t HarnessBuffer::bytes() const { return said.count * bytes_of(static_cast<Element>(said.element)); }

std::string fault_of(const cuco_buffer& said) {
  if (!said.name || !*said.name) return "a buffer has no name";
  if (said.element > static_cast<uint32_t>(Element::Float8E5M2)) return concat("buffer ", said.name, " has no type");
  if (said.role > kScratchRole) return concat("buffer ", said.name, " has no role");
  if (said.count > uint64_t{1} << 40) return concat("buffer ", said.name, " has ", said.count, " elements");
  if (said.count > 0 && !said.pointer) return concat("buffer ", said.name, " is a null pointer");
  return room_fault(said, said.count * bytes_of(static_cast<Element>(said.element)));
}

void prepare_buffers(const std::vector<HarnessBuffer>& buffers, const RankKey& key, const DrawnInputs& inputs) {
  for (bool are_inputs : {false, true})
    for (const HarnessBuffer& buffer : buffers) {
      if ((buffer.said.role == kInputRole) != are_inputs) continue;
      if (keeps_validity && is_on_device(buffer))
        prepare_later(buffer, key, inputs);
      else if (is_filled(buffer) && are_inputs)
        draw_input(buffer, key, inputs);
      else if (is_filled(buffer))
        poison(buffer);
    }
}

Capture capture_outputs(const std::vector<HarnessBuffer>& buffers, uint32_t rank, uint32_t iteration) {
  Capture capture;
  if (world->options.harness.sampled) return capture;
  for (const HarnessBuffer& buffer : buffers) {
    if (buffer.said.role != kOutputRole) continue;
    CapturedOutput& output = capture.emplace_back(described(buffer, rank, iteration));
    output.count = buffer.said.count;
    output.bytes.assign(static_cast<const char*>(buffer.said.pointer), buffer.bytes());
  }
  return capture;
}

Capture capture_parts(const std::vector<HarnessBuffer>& buffers, uint32_t rank, uint32_t iteration) {
  Capture capture;
  for (const HarnessBuffer& buffer : buffers) {
    if (!is_on_device(buffer) || buffer.said.count == 0) continue;
    CapturedOutput part = described(buffer, rank, iteration);
    if (buffer.said.role == kOutputRole) add_parts(buffer, part, capture);
    if (buffer.said.role == kScratchRole) add_few_parts(buffer, part, capture);
  }
  return capture;
}

std::vector<uintptr_t> addresses_of(const std::vector<WantedPlace>& wanted, const std::vector<HarnessBuffer>& buffers,
                                    uint32_t rank) {
  std::vector<uintptr_t> addresses;
  for (const WantedPlace& place : wanted)
    for (const HarnessBuffer& buffer : buffers) {
      bool is_it = place.rank == rank && place.buffer == buffer.index && place.index < buffer.said.count &&
                   buffer.said.role == (place.is_scratch ? kScratchRole : kOutputRole);
      if (is_it) addresses.push_back(address_of(buffer) + place.index * bytes_of(element_of(buffer)));
    }
  return addresses;
}

std::string mark_changed(const std::vector<HarnessBuffer>& buffers, Capture& capture) {
  std::vector<std::string> names;
  for (CapturedOutput& output : capture)
    for (const HarnessBuffer& buffer : buffers) {
      if (buffer.said.role != kOutputRole || buffer.index != output.buffer) continue;
      output.changed_after_return = std::memcmp(buffer.said.pointer, output.bytes.data(), output.bytes.size()) != 0;
      if (output.changed_after_return) names.push_back(buffer.name);
    }
  return join(names, ", ");
}

void check_outputs_written(const std::vector<HarnessBuffer>& buffers, uint32_t rank, uint32_t iteration) {
  if (!world->options.check) return;
  for (const HarnessBuffer& buffer : buffers) {
    if (buffer.said.role != kOutputRole || !is_on_device(buffer) || buffer.said.count == 0) continue;
    uintptr_t bad = shadow().first_without(ShadowBit::Written, address_of(buffer), buffer.bytes());
    if (bad == 0) continue;
    uint64_t index = (bad - address_of(buffer)) / bytes_of(element_of(buffer));
    report_once("unwritten_output", static_cast<int>(rank), concat(buffer.name, " of rank ", rank),
                concat("output ", buffer.name, " of rank ", rank, " is never written at index ", index,
                       " in iteration ", iteration));
  }
}

}  // namespace cuco::vcluster
