#include "model/dependences.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "model/bits.h"
#include "model/extents.h"
#include "model/step_facts.h"

namespace cuco::model {

namespace {

std::optional<DependenceKind> kind_between(Access from, Access to) {
  if (writes(from) && reads(to)) return DependenceKind::ReadAfterWrite;
  if (writes(from) && writes(to)) return DependenceKind::WriteAfterWrite;
  if (reads(from) && writes(to)) return DependenceKind::WriteAfterRead;
  return std::nullopt;
}

// How two steps conflict on one buffer: per kind, never, perhaps or for certain.
struct Conflict {
  Meeting kinds[3] = {Meeting::Never, Meeting::Never, Meeting::Never};

  Meeting strongest() const { return std::max({kinds[0], kinds[1], kinds[2]}); }
};

// The steps that touch one buffer, in host order, and their nearest dependences.
class BufferHistory {
 public:
  BufferHistory(const Program& program, const std::vector<Index>& exchanges, Extents& extents, Index buffer)
      : program_(program), exchanges_(exchanges), extents_(extents), buffer_(buffer) {}

  void add(Index step) { steps_.push_back(step); }

  void find(std::vector<StepDependence>& found) {
    perhaps_before_.assign(steps_.size(), Bits(steps_.size()));
    certain_before_ = perhaps_before_;
    for (size_t to = 1; to < steps_.size(); ++to) find_nearest(to, found);
  }

 private:
  // From the latest earlier step backwards, so that what a nearer one already joins is known when it is met.
  void find_nearest(size_t to, std::vector<StepDependence>& found) {
    Bits perhaps_joined(steps_.size());
    Bits certain_joined(steps_.size());
    for (size_t from = to; from-- > 0;) {
      Conflict conflict = conflict_between(steps_[from], steps_[to]);
      Meeting meeting = conflict.strongest();
      if (meeting == Meeting::Never) continue;
      bool certain = meeting == Meeting::Certain;
      if ((certain ? certain_joined : perhaps_joined).test(from)) continue;
      emit(from, to, conflict, found);
      perhaps_before_[to].set(from);
      extend(perhaps_joined, perhaps_before_[from], from, to);
      if (!certain) continue;
      certain_before_[to].set(from);
      extend(certain_joined, certain_before_[from], from, to);
    }
    perhaps_before_[to] |= perhaps_joined;
    certain_before_[to] |= certain_joined;
  }

  // Adds what lies before `middle` to what is joined with `to`, where `middle` is sure to run between the two.
  void extend(Bits& joined, const Bits& before_middle, size_t middle, size_t to) const {
    const Operation& between = operation_at(program_, steps_[middle]);
    bool always = !program_.steps[steps_[middle]].conditional;
    if (always || runs_whenever(between, operation_at(program_, steps_[to]))) {
      joined |= before_middle;
      return;
    }
    for (size_t from = 0; from < middle; ++from)
      if (before_middle.test(from) && runs_whenever(between, operation_at(program_, steps_[from]))) joined.set(from);
  }

  Conflict conflict_between(Index from, Index to) {
    Conflict conflict;
    if (excluded(from, to)) return conflict;
    bool one_exchange = exchanges_[from] == exchanges_[to];
    const std::vector<Region>& earlier = program_.steps[from].regions;
    const std::vector<Region>& later = program_.steps[to].regions;
    for (size_t a = 0; a < earlier.size(); ++a)
      for (size_t b = 0; b < later.size(); ++b) {
        if (earlier[a].buffer != buffer_ || later[b].buffer != buffer_) continue;
        std::optional<DependenceKind> kind = kind_between(earlier[a].access, later[b].access);
        if (!kind) continue;
        Meeting meeting = extents_.meet(from, a, to, b);
        // Members of one group use slices by peer; a program that relied on their order would be wrong.
        if (one_exchange && meeting == Meeting::Perhaps) continue;
        Meeting& slot = conflict.kinds[static_cast<size_t>(*kind)];
        slot = std::max(slot, meeting);
      }
    return conflict;
  }

  // A branch may go the other way in another iteration, so only one evaluation of it excludes.
  bool excluded(Index from, Index to) const {
    return on_opposite_sides(operation_at(program_, from), operation_at(program_, to)) &&
           common_iterations(program_, from, to).same();
  }

  void emit(size_t from, size_t to, const Conflict& conflict, std::vector<StepDependence>& found) const {
    for (DependenceKind kind :
         {DependenceKind::ReadAfterWrite, DependenceKind::WriteAfterRead, DependenceKind::WriteAfterWrite}) {
      Meeting meeting = conflict.kinds[static_cast<size_t>(kind)];
      if (meeting != Meeting::Never)
        found.push_back({steps_[from], steps_[to], buffer_, kind, meeting == Meeting::Perhaps});
    }
  }

  const Program& program_;
  const std::vector<Index>& exchanges_;
  Extents& extents_;
  Index buffer_;
  std::vector<Index> steps_;
  std::vector<Bits> perhaps_before_;  // Per step, those before it along any dependences.
  std::vector<Bits> certain_before_;  // The same along certain ones.
};

}  // namespace

std::vector<StepDependence> find_step_dependences(const Program& program, const std::vector<Index>& exchanges) {
  Extents extents(program);
  std::vector<std::vector<Index>> users(program.buffers.size());
  for (Index step = 0; step < program.steps.size(); ++step) {
    if (!touches_buffers(program, step)) continue;
    for (const Region& region : program.steps[step].regions)
      if (region.buffer < users.size() && (users[region.buffer].empty() || users[region.buffer].back() != step))
        users[region.buffer].push_back(step);
  }
  std::vector<StepDependence> found;
  for (Index buffer = 0; buffer < users.size(); ++buffer) {
    BufferHistory history(program, exchanges, extents, buffer);
    for (Index step : users[buffer]) history.add(step);
    history.find(found);
  }
  return found;
}

namespace {

// Certain instances decide alone: slices that may well be disjoint need no order.
void merge(Dependence& dependence, const Dependence& instance) {
  if (dependence.assumed == instance.assumed)
    dependence.ordered = dependence.ordered && instance.ordered;
  else if (dependence.assumed)
    dependence = instance;
}

}  // namespace

std::vector<Dependence> summarise(const Program& program, const std::vector<StepDependence>& steps,
                                  const StepOrder& order) {
  std::map<std::tuple<Index, Index, Index, DependenceKind, bool>, Dependence> merged;
  for (const StepDependence& step : steps) {
    Index from = program.steps[step.from].operation;
    Index to = program.steps[step.to].operation;
    bool carried = !common_iterations(program, step.from, step.to).same();
    Dependence instance{
        from, to, step.buffer, step.kind, carried, step.assumed, order.happens_before(step.from, step.to)};
    auto [known, added] = merged.emplace(std::tuple(from, to, step.buffer, step.kind, carried), instance);
    if (!added) merge(known->second, instance);
  }
  std::vector<Dependence> dependences;
  for (auto& [key, dependence] : merged) dependences.push_back(dependence);
  return dependences;
}

}  // namespace cuco::model
