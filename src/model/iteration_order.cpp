#include "model/iteration_order.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/text.h"
#include "model/step_facts.h"

namespace cuco::model {

namespace {

bool counts_ranks_of(const Loop& loop, const Communicator& communicator) {
  if (loop.limit_value && loop.limit_value == communicator.rank_count_value) return true;
  std::string written = without_blanks(communicator.rank_count), limit = without_blanks(loop.limit);
  return !written.empty() && (limit == concat("<", written) || limit == concat("!=", written));
}

// The steps of one loop, told apart by iteration.
class LoopSteps {
 public:
  LoopSteps(const Program& program, Index loop) : program_(program), loop_(loop) {
    for (Index up = program.loops[loop].parent; up < program.loops.size(); up = program.loops[up].parent) ++depth_;
  }

  bool holds_operation(const Operation& operation) const {
    std::vector<Index> around = enclosing_loops(program_, operation);
    return std::find(around.begin(), around.end(), loop_) != around.end();
  }
  bool holds(Index step) const { return holds_operation(operation_at(program_, step)); }

  // Both run in one pass through the loop.
  bool in_one_pass(Index a, Index b) const {
    if (!holds(a) || !holds(b)) return false;
    const std::vector<uint32_t>&first = program_.steps[a].iterations, &second = program_.steps[b].iterations;
    return std::equal(first.begin(), first.begin() + depth_, second.begin());
  }
  bool in_one_iteration(Index a, Index b) const {
    return in_one_pass(a, b) && program_.steps[a].iterations[depth_] == program_.steps[b].iterations[depth_];
  }
  bool carries(const StepDependence& dependence) const {
    return in_one_pass(dependence.from, dependence.to) && !in_one_iteration(dependence.from, dependence.to);
  }
  // From the loop to what comes after it, or to another pass through it.
  bool leaves(const StepDependence& dependence) const {
    return holds(dependence.from) && !in_one_pass(dependence.from, dependence.to);
  }

 private:
  const Program& program_;
  Index loop_;
  size_t depth_ = 0;  // Of the loop, as an index into a step's iterations.
};

class Judge {
 public:
  Judge(const Program& program, const std::vector<StepDependence>& dependences, Index loop)
      : program_(program), dependences_(dependences), steps_(program, loop) {}

  IterationOrder decide() {
    for (const Operation& operation : program_.operations)
      if (steps_.holds_operation(operation)) look_at(operation);
    for (const StepDependence& dependence : dependences_)
      if (steps_.carries(dependence)) look_at(dependence);
    return std::move(order_);
  }

 private:
  void object(std::string reason) {
    if (std::find(order_.objections.begin(), order_.objections.end(), reason) == order_.objections.end())
      order_.objections.push_back(std::move(reason));
  }

  void look_at(const Operation& operation) {
    if (operation.communicate && operation.kind == OperationKind::Communicate) return look_at_site(operation);
    static const std::set<OperationKind> in_step = {
        OperationKind::Mpi,      OperationKind::HostCallback, OperationKind::CommInit,    OperationKind::CommDestroy,
        OperationKind::Allocate, OperationKind::Free,         OperationKind::RegionBegin, OperationKind::GraphCapture};
    if (in_step.contains(operation.kind)) object(concat(operation.callee, " is called in it, in an order to be kept"));
  }

  // Inside one group the order of messages is free. Outside, ranks that go through their peers from different ends
  // would wait for each other.
  void look_at_site(const Operation& operation) {
    const CommunicateDetail& detail = *operation.communicate;
    bool point_to_point = detail.collective == Collective::Send || detail.collective == Collective::Recv;
    bool group_around =
        detail.group < program_.operations.size() && !steps_.holds_operation(program_.operations[detail.group]);
    if (!point_to_point)
      object(concat("all ranks must call ", operation.callee, " in the same order"));
    else if (!group_around)
      object(concat(operation.callee, " is not in a group around the loop, so peers meet one after the other"));
  }

  void look_at(const StepDependence& dependence) {
    if (dependence.assumed) {
      order_.assumed = true;
      return;
    }
    std::string buffer = concat("`", program_.buffers[dependence.buffer].name, "`");
    if (dependence.kind == DependenceKind::ReadAfterWrite)
      object(concat("an iteration reads what an earlier one wrote to ", buffer));
    else if (dependence.kind == DependenceKind::WriteAfterRead && !fills_first(dependence.from, dependence.buffer))
      object(concat("an iteration overwrites what an earlier one reads of ", buffer));
    else if (is_needed_later(dependence.buffer))
      object(concat("what the last iteration leaves in ", buffer, " is needed after the loop"));
  }

  // The reader's own iteration has written what it reads.
  bool fills_first(Index reader, Index buffer) const {
    return std::any_of(dependences_.begin(), dependences_.end(), [&](const StepDependence& other) {
      return other.to == reader && other.buffer == buffer && other.kind == DependenceKind::ReadAfterWrite &&
             !other.assumed && steps_.in_one_iteration(other.from, reader);
    });
  }

  bool is_needed_later(Index buffer) const {
    bool is_output = std::any_of(program_.outputs.begin(), program_.outputs.end(),
                                 [&](const Output& output) { return output.buffer == buffer; });
    return is_output || std::any_of(dependences_.begin(), dependences_.end(), [&](const StepDependence& other) {
             return other.buffer == buffer && other.kind == DependenceKind::ReadAfterWrite && steps_.leaves(other);
           });
  }

  const Program& program_;
  const std::vector<StepDependence>& dependences_;
  LoopSteps steps_;
  IterationOrder order_;
};

}  // namespace

bool runs_over_ranks(const Program& program, const Loop& loop) {
  bool counts_up =
      loop.first == "0" && loop.step == "+1" && (loop.limit.starts_with("< ") || loop.limit.starts_with("!= "));
  return counts_up && std::any_of(program.communicators.begin(), program.communicators.end(),
                                  [&](const Communicator& one) { return counts_ranks_of(loop, one); });
}

IterationOrder find_iteration_order(const Program& program, const std::vector<StepDependence>& dependences,
                                    Index loop) {
  return Judge(program, dependences, loop).decide();
}

}  // namespace cuco::model
