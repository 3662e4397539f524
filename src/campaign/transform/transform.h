// From a host-driven program to a device-initiated one, proven on the virtual cluster; and what the ways of converting
// it share: the program as it was, and the writing of what came out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "campaign/analyzed_program.h"
#include "campaign/evaluation_request.h"
#include "rewrite/proof.h"
#include "rewrite/rewrite.h"
#include "space/facts.h"
#include "space/plan.h"

namespace cuco::campaign {

struct ModelChoice {
  std::string model;  // A spec of llm/model_spec.h; empty: none.
  std::string judge;  // Empty: findings go to the model as they are.
  std::optional<double> budget_usd;
  std::optional<uint64_t> budget_calls;
  std::string record, replay, prices;
  int attempts = 4;
};

struct TransformOptions {
  EvaluationOptions evaluation;
  std::string backend = "auto";
  std::string with = "auto";
  std::string plan;  // A file; empty: the fast path.
  std::string output;
  bool single_file = false;
  ModelChoice models;
  bool explain = false;
};

Status transform(const TransformOptions& options, Context& context);

struct Original {
  evaluate::EvaluationRequest request;
  AnalyzedProgram analyzed;
  std::vector<space::SiteFacts> sites;
  std::vector<rewrite::Source> sources;
  model::HardwareProfile profile;
};

Result<Original> read_original(const TransformOptions& options, Context& context);

// The files as a program of their own, in `folder`.
Result<AnalyzedProgram> analyze_sources(const Original& original, const std::vector<rewrite::Source>& sources,
                                        const std::filesystem::path& folder, const Context& context);

// As a candidate for the original, whose set-up differs too.
Result<evaluate::Verdict> verify(const Original& original, const std::vector<rewrite::Source>& sources, bool with_nvcc);

// How the rewritten program is held against the original: its analysis, the plan that its code shows, the runs'
// traffic. What of the plan the user asked for decides what is refused.
struct Conversion {
  rewrite::InferredPlan inferred;
  rewrite::Proof proof;
};
struct Converted {
  const std::vector<rewrite::Source>& sources;
  const evaluate::Verdict& verdict;
  const space::Plan& plan;
  rewrite::Asked asked = rewrite::Asked::Backends;
  const std::map<std::string, std::string>* kernels = nullptr;  // Of Rewritten; null: no rule wrote it.
};
Result<Conversion> look_at_conversion(const Original& original, const Converted& converted, const Context& context);

// What is written: the program, and beside it its plan, the proof and the verdict.
struct Results {
  const std::vector<rewrite::Source>& sources;
  const space::Plan& plan;
  const rewrite::Proof& proof;
  const evaluate::Verdict& verdict;
};
// Writes it and says what was written, how it is built and how it is judged again.
Status hand_over(const TransformOptions& options, const Original& original, const Results& results, Context& context);
// Before anything is run: an error says what is in the way.
Status check_output(const TransformOptions& options, const Original& original);

// plan.cpp: the plan that was asked for in a file, or the fast path with the backend. What speaks against a
// plan of the user is printed; the virtual cluster decides.
Result<space::Plan> chosen_plan(const TransformOptions& options, const Original& original,
                                std::optional<space::Backend> wished, Context& context);

// What a model is asked for, and what keeps the rules from it.
struct ModelTask {
  space::Plan plan;
  std::string obstacles;
};

// model.cpp: asks a model, in a bounded loop, until the judge on the virtual cluster accepts.
Status transform_by_model(const TransformOptions& options, const Original& original, const ModelTask& task,
                          Context& context);

}  // namespace cuco::campaign
