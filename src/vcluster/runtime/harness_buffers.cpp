#include "vcluster/runtime/harness_buffers.h"

#include <cstring>

#include "base/text.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/checkers/shadow.h"
#include "vcluster/runtime/device.h"
#include "vcluster/runtime/world.h"

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
  for (const HarnessBuffer& buffer : buffers)
    if (buffer.said.role != kInputRole && is_filled(buffer)) poison(buffer);
  for (const HarnessBuffer& buffer : buffers)
    if (buffer.said.role == kInputRole && is_filled(buffer)) draw_input(buffer, key, inputs);
}

Capture capture_outputs(const std::vector<HarnessBuffer>& buffers, uint32_t rank, uint32_t iteration) {
  Capture capture;
  if (world->options.harness.sampled) return capture;
  for (const HarnessBuffer& buffer : buffers) {
    if (buffer.said.role != kOutputRole) continue;
    CapturedOutput& output = capture.emplace_back();
    output.rank = rank;
    output.iteration = iteration;
    output.buffer = buffer.index;
    output.element = buffer.said.element;
    output.absolute = buffer.said.absolute;
    output.relative = buffer.said.relative;
    output.count = buffer.said.count;
    output.name = buffer.name;
    output.bytes.assign(static_cast<const char*>(buffer.said.pointer), buffer.bytes());
  }
  return capture;
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
