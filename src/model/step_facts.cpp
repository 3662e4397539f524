#include "model/step_facts.h"

#include <algorithm>

#include "base/text.h"

namespace cuco::model {

const Operation& operation_at(const Program& program, Index step) {
  return program.operations[program.steps[step].operation];
}

bool touches_buffers(const Program& program, Index step) {
  OperationKind kind = operation_at(program, step).kind;
  if (is_device_work(kind)) return true;
  bool on_host = kind == OperationKind::Mpi || kind == OperationKind::HostCallback;
  return on_host && !program.steps[step].regions.empty();
}

bool is_set_up(OperationKind kind) {
  using enum OperationKind;
  constexpr OperationKind kinds[] = {Allocate,      Free,          StreamCreate, StreamDestroy,  EventCreate,
                                     EventDestroy,  CommInit,      CommDestroy,  WindowRegister, WindowDeregister,
                                     DevCommCreate, DevCommDestroy};
  return std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds);
}

bool in_timed_region(const Program& program, Index step) {
  const TimedRegion& region = program.timed_region;
  bool within = region.basis != RegionBasis::None && region.first_step <= step && step <= region.last_step;
  if (!within || region.basis != RegionBasis::Harness) return within;
  // Between two calls of the region the program may set up its next variant.
  if (operation_at(program, step).kind == OperationKind::RegionEnd) return true;
  while (step > region.first_step && operation_at(program, step).kind != OperationKind::RegionBegin &&
         operation_at(program, step).kind != OperationKind::RegionEnd)
    step--;
  return operation_at(program, step).kind == OperationKind::RegionBegin;
}

std::vector<Index> enclosing_loops(const Program& program, const Operation& operation) {
  std::vector<Index> loops;
  for (Index loop = operation.loop; loop < program.loops.size(); loop = program.loops[loop].parent)
    loops.push_back(loop);
  std::reverse(loops.begin(), loops.end());
  return loops;
}

size_t common_loop_count(const Program& program, Index first, Index second) {
  std::vector<Index> a = enclosing_loops(program, operation_at(program, first));
  std::vector<Index> b = enclosing_loops(program, operation_at(program, second));
  const std::vector<uint32_t>&at = program.steps[first].iterations, &bt = program.steps[second].iterations;
  size_t most = std::min({a.size(), b.size(), at.size(), bt.size()}), count = 0;
  while (count < most && a[count] == b[count] && at[count] == bt[count]) count++;
  return count;
}

bool communicates(const Program& program, Index step) {
  const Operation& operation = operation_at(program, step);
  if (operation.kind == OperationKind::Communicate) return true;
  Index kernel = operation.launch ? operation.launch->kernel : kNone;
  return kernel < program.kernels.size() && !program.kernels[kernel].communication.empty();
}

bool computes(const Program& program, Index step) {
  OperationKind kind = operation_at(program, step).kind;
  return kind == OperationKind::Launch || kind == OperationKind::Library;
}

bool CommonIterations::neighbouring() const {
  uint32_t distance = 0;
  for (size_t i = 0; i < first.size(); ++i)
    distance += first[i] > second[i] ? first[i] - second[i] : second[i] - first[i];
  return distance == 1;
}

namespace {

size_t loop_depth(const Program& program, Index loop) {
  size_t depth = 0;
  for (; loop < program.loops.size(); loop = program.loops[loop].parent) ++depth;
  return depth;
}

// How many loops enclose both. Asked for every pair of steps that might overlap, so it allocates nothing.
size_t common_depth(const Program& program, Index a, Index b) {
  size_t depth_a = loop_depth(program, a);
  size_t depth_b = loop_depth(program, b);
  for (; depth_a > depth_b; --depth_a) a = program.loops[a].parent;
  for (; depth_b > depth_a; --depth_b) b = program.loops[b].parent;
  for (; depth_a > 0 && a != b; --depth_a) {
    a = program.loops[a].parent;
    b = program.loops[b].parent;
  }
  return depth_a;
}

}  // namespace

CommonIterations common_iterations(const Program& program, Index first, Index second) {
  const std::vector<uint32_t>& a = program.steps[first].iterations;
  const std::vector<uint32_t>& b = program.steps[second].iterations;
  size_t depth = common_depth(program, operation_at(program, first).loop, operation_at(program, second).loop);
  size_t common = std::min({depth, a.size(), b.size()});
  return {{a.begin(), a.begin() + common}, {b.begin(), b.begin() + common}};
}

bool runs_whenever(const Operation& operation, const Operation& other) {
  const auto& outer = operation.conditions;
  const auto& inner = other.conditions;
  return outer.size() <= inner.size() && std::equal(outer.begin(), outer.end(), inner.begin());
}

bool on_opposite_sides(const Operation& a, const Operation& b) {
  if (a.call_path != b.call_path) return false;
  size_t limit = std::min(a.conditions.size(), b.conditions.size());
  auto [left, right] = std::mismatch(a.conditions.begin(), a.conditions.begin() + limit, b.conditions.begin());
  if (left == a.conditions.begin() + limit) return false;
  return *left == concat("!(", *right, ")") || *right == concat("!(", *left, ")");
}

const SourceRange& place_in(const Operation& operation, size_t depth) {
  return depth < operation.call_path.size() ? operation.call_path[depth] : operation.statement;
}

bool contains(const SourceRange& outer, const SourceRange& inner) {
  return outer.file == inner.file && outer.begin_byte <= inner.begin_byte && inner.end_byte <= outer.end_byte;
}

}  // namespace cuco::model
