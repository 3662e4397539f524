// From a plan to a program text, through the rewriter. Holds the baseline with its analysis, made once.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "evaluate/evaluate.h"
#include "model/access_trace.h"
#include "model/comm_graph.h"
#include "model/program.h"
#include "rewrite/rewrite.h"
#include "rewrite/text/edits.h"
#include "space/facts.h"
#include "space/plan.h"
#include "store/records.h"

namespace cuco::evolve {

class PlanWriter {
 public:
  // Analyses request.baseline. Places in messages are relative to the program, wherever cuco runs.
  static Result<PlanWriter> read(const evaluate::EvaluationRequest& request);

  // Runs the baseline at the request's proof sizes to trace which bytes its blocks touch. Where that is not or cannot
  // be done, plans that need it cannot be written.
  void trace(const evaluate::EvaluationRequest& request);

  // From now on all sites go through staging memory.
  void stage_all() { space::stage_all(graph_, sites_); }

  // Pure. An error says what no rule can do.
  Result<std::vector<SourceFile>> write(const space::Plan& plan) const;

  // The program with its collectives as they are and the buffers of as many as possible in symmetric windows, which is
  // the form that NCCL serves fastest; kernels that feed the collectives run in so many slices. An error says what
  // stands in the way.
  Result<std::vector<SourceFile>> write_windows(uint32_t slices = 1) const;

  // The plan that the code of a candidate shows, see rewrite/infer.h. An error when it cannot be read.
  Result<space::Plan> infer(const std::vector<SourceFile>& files) const;

  // The fast path for the backend that the topology suggests, then for each other one that some site can take; those
  // that cannot be written are left out.
  std::vector<store::Candidate> fast_paths() const;
  // Why there is none, one line a site.
  std::string reasons_against_fast_paths() const;
  // The program as it is, with what may evolve marked, for models to begin with where no rule converts anything. None
  // where the user has marked it, or where nothing may evolve.
  std::vector<store::Candidate> marked() const;

  // The plan of the first of them, or what it would be.
  space::Plan fast_path_plan() const;
  // What `cuco analyze` says, for models.
  std::string analysis() const;

  const std::vector<space::SiteFacts>& sites() const { return sites_; }
  // With the bytes that a run of this size moved, where the text alone does not tell them.
  std::vector<space::SiteFacts> sized_sites() const;
  const model::HardwareProfile& profile() const { return profile_; }

 private:
  PlanWriter() = default;
  Result<std::vector<SourceFile>> write(const space::Plan& plan, rewrite::Stage stage, uint32_t slices) const;
  Result<std::vector<SourceFile>> files_of(std::vector<rewrite::Source> sources) const;

  evaluate::EvaluationRequest request_;
  model::Program program_;
  model::CommGraph graph_;
  std::vector<space::SiteFacts> sites_;
  model::HardwareProfile profile_;
  std::vector<rewrite::Source> sources_;  // Those of the baseline first, in its order; then headers.
  std::optional<model::AccessTrace> accesses_;
};

}  // namespace cuco::evolve
