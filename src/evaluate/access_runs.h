// Traced runs of one program: built once, run with other inputs, orders of blocks, sizes and rank counts.
#pragma once

#include <string>
#include <vector>

#include "evaluate/evaluate.h"
#include "model/access_trace.h"

namespace cuco::evaluate {

class AccessRuns {
 public:
  static Result<AccessRuns> make(const EvaluationRequest& request);

  // An error when the run did not come to a good end: the program may refuse a size.
  Result<model::AccessTrace> trace(const Configuration& configuration) const;
  // Where a few blocks stand for the others.
  Result<model::AccessTrace> trace_sampled(const Configuration& configuration) const;
  // The request's own configuration.
  Result<model::AccessTrace> trace_other_inputs() const;
  Result<model::AccessTrace> trace_other_order() const;
  // At other sizes and another rank count, what ran and differs from the trace of the request's own.
  std::vector<model::AccessTrace> trace_other_shapes(const model::AccessTrace& own) const;

 private:
  AccessRuns(ConfinedProgram program, const EvaluationRequest& request)
      : program_(std::move(program)), request_(request) {}
  Result<model::AccessTrace> run(const Configuration& configuration, uint64_t schedule_seed, uint64_t draw,
                                 bool sample = false) const;

  ConfinedProgram program_;
  EvaluationRequest request_;
};

// A configuration to try besides the given one, and how it differs: "n=128", "8 ranks".
struct VariedConfiguration {
  Configuration configuration;
  std::string difference;
};

// In the order in which they should be tried: every parameter doubled by itself, then all of them.
std::vector<VariedConfiguration> other_sizes(const Configuration& configuration);
// Of every parameter above 1 half its value, which is cheap to run, and twice of it; at most one of the two is needed.
std::vector<std::vector<VariedConfiguration>> halved_or_doubled(const Configuration& configuration);
// Rank counts that the nodes divide.
std::vector<VariedConfiguration> other_rank_counts(const Configuration& configuration);

}  // namespace cuco::evaluate
