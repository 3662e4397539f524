#include "evaluate/plain/buffers.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "evaluate/plain/element_names.h"
#include "model/step_facts.h"

namespace cuco::evaluate {

namespace {

using model::Index;
using model::Program;

// Buffers that steps of one kind read or write, in the order of first touch.
class Touched {
 public:
  void add(Index buffer) {
    if (set_.insert(buffer).second) order_.push_back(buffer);
  }
  bool has(Index buffer) const { return set_.contains(buffer); }
  const std::vector<Index>& order() const { return order_; }

 private:
  std::set<Index> set_;
  std::vector<Index> order_;
};

struct Use {
  Touched written_before, read_inside, written_inside, received;
};

bool is_device_memory(const Program& program, Index buffer) {
  if (buffer >= program.buffers.size()) return false;
  using model::BufferKind;
  BufferKind kind = program.buffers[buffer].kind;
  return kind == BufferKind::Device || kind == BufferKind::NcclMemory || kind == BufferKind::Managed;
}

void add_step(const Program& program, Index step, Use& use) {
  bool inside = model::in_timed_region(program, step);
  bool communicates = model::operation_at(program, step).kind == model::OperationKind::Communicate;
  for (const model::Region& region : program.steps[step].regions) {
    if (!is_device_memory(program, region.buffer)) continue;
    if (inside && reads(region.access)) use.read_inside.add(region.buffer);
    if (inside && writes(region.access)) use.written_inside.add(region.buffer);
    if (inside && writes(region.access) && communicates) use.received.add(region.buffer);
    if (step < program.timed_region.first_step && writes(region.access)) use.written_before.add(region.buffer);
  }
}

Use find_use(const Program& program) {
  Use use;
  for (Index step = 0; step < program.steps.size(); step++) add_step(program, step, use);
  return use;
}

bool is_drawable(const model::Buffer& buffer) {
  std::optional<Element> element = element_named(buffer.element_type);
  return element && is_floating(*element);
}

bool communicates_in_region(const Program& program) {
  for (Index step = 0; step < program.steps.size(); step++)
    if (model::in_timed_region(program, step) &&
        model::operation_at(program, step).kind == model::OperationKind::Communicate)
      return true;
  return false;
}

Status check_region(const Program& program) {
  const std::string& file = program.files.front().path;
  auto communicates = [](const model::Operation& operation) {
    return operation.kind == model::OperationKind::Communicate;
  };
  if (std::none_of(program.operations.begin(), program.operations.end(), communicates))
    return Error{concat(file, ": error: the program communicates nothing through NCCL; there is nothing to overlap")};
  if (program.timed_region.basis == model::RegionBasis::None)
    return Error{concat(file,
                        ": error: no timed region was found; record an event before and after what counts and read "
                        "their elapsed time")};
  if (!communicates_in_region(program))
    return Error{concat(file, ": error: the timed region communicates nothing; move the events around a collective")};
  if (program.outputs.empty())
    return Error{concat(file, ": error: no outputs were found; copy results back to the host after the timed region")};
  return Done{};
}

Error unwritten(const Program& program) {
  const model::Buffer& buffer = program.buffers[program.outputs.front().buffer];
  std::string place = buffer.allocation.file == model::kNone ? program.files.front().path
                                                             : model::location_text(program, buffer.allocation);
  return Error{concat(place, ": error: output '", buffer.name, "' is never written in the timed region")};
}

}  // namespace

Result<PlainBuffers> find_plain_buffers(const Program& program) {
  if (Status fit = check_region(program); !fit) return fit.error();
  Use use = find_use(program);
  PlainBuffers found;
  for (Index buffer : use.read_inside.order())
    if (use.written_before.has(buffer))
      (is_drawable(program.buffers[buffer]) ? found.inputs : found.kept).push_back(buffer);
  for (Index buffer : found.inputs)
    if (use.written_inside.has(buffer)) found.updated.push_back(buffer);
  for (const model::Output& output : program.outputs)
    (use.written_inside.has(output.buffer) ? found.outputs : found.unwritten).push_back(output.buffer);
  if (found.outputs.empty()) return unwritten(program);
  auto is_known = [&](Index buffer) {
    return use.written_before.has(buffer) ||
           std::find(found.outputs.begin(), found.outputs.end(), buffer) != found.outputs.end();
  };
  for (Index buffer : use.received.order())
    if (!is_known(buffer)) found.scratch.push_back(buffer);
  return found;
}

}  // namespace cuco::evaluate
