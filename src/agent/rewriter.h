// The role that writes code, in a bounded loop: rewrite, evaluate, diagnose, rewrite again. What builds and runs a
// program is the caller's; so is what it takes to be accepted.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/judge.h"
#include "agent/program_text.h"
#include "agent/prompt_template.h"
#include "agent/rejection_text.h"
#include "agent/sections.h"
#include "base/result.h"
#include "llm/model.h"

namespace cuco::agent {

struct RewriteRequest {
  ProgramText program;
  std::string analysis;   // What is known about the program; gives way first when the prompt is too long.
  std::string directive;  // The plan to follow, in words.
  std::string api_rules;  // Of the backends in the plan.
  std::string obstacles;  // Why no rule does it; empty when none was asked.
};

struct Evaluation {
  bool accepted = false;
  std::vector<ReportedFinding> findings;  // Why not.
};
// An error means that nothing can be said about the program: no way to run it. It ends the loop.
using Evaluate = std::function<Result<Evaluation>(const ProgramText&)>;

struct RewriteLimits {
  int attempts_max = 4;  // The first, and three repairs.
  uint64_t prompt_tokens_max = 150'000;
  uint64_t reply_tokens_max = 32'000;
  std::optional<double> temperature = std::nullopt;
};

enum class AttemptOutcome : uint8_t { Malformed, Unevaluated, Rejected, Accepted };

struct RewriteAttempt {
  AttemptOutcome outcome = AttemptOutcome::Malformed;
  std::string diagnosis;  // What the next attempt is told; empty when accepted.
  std::string summary;    // Of it, in one line, for the attempts after that.
  std::vector<SectionSize> prompt_sizes;
  llm::Reply reply;
  std::optional<ProgramText> program;  // Absent for a reply that could not be applied.
};

struct RewriteResult {
  std::optional<ProgramText> accepted;
  std::vector<RewriteAttempt> attempts;
  std::optional<Error> stopped;  // No reply from a model, or no evaluation; what was reached before is kept.
};

class Rewriter {
 public:
  // The model and the judge must outlive the rewriter. Without a judge the findings themselves are the diagnosis.
  static Result<Rewriter> load(const std::filesystem::path& share, llm::Model& model, const Judge* judge,
                               RewriteLimits limits);

  RewriteResult run(const RewriteRequest& request, const Evaluate& evaluate, llm::Progress& progress,
                    const OnPrompt& on_prompt = {}) const;

 private:
  Rewriter(llm::Model& model, PromptTemplate prompt, const Judge* judge, RewriteLimits limits)
      : model_(&model), prompt_(std::move(prompt)), judge_(judge), limits_(limits) {}

  // What stays the same over the attempts of one run.
  struct Run {
    const RewriteRequest& request;
    const Evaluate& evaluate;
    llm::Progress& progress;
    const OnPrompt& on_prompt;
  };
  Result<RewriteAttempt> attempt(const Run& run, const ProgramText& program, const std::string& diagnosis) const;
  Status evaluate_attempt(const Run& run, RewriteAttempt& attempt, const Judge* judge) const;

  llm::Model* model_;
  PromptTemplate prompt_;
  const Judge* judge_;
  RewriteLimits limits_;
};

// One line: "attempt 2: rejected; about 5200 tokens: ...; reply 812 tokens, $0.0123"
std::string describe(const RewriteAttempt& attempt, size_t number);

}  // namespace cuco::agent
