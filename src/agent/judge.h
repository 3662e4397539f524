// The role that says what is wrong: it gets a rejected program and the report on it, and names the cause and the place.
// It writes no code.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "agent/program_text.h"
#include "agent/prompt_template.h"
#include "agent/sections.h"
#include "base/result.h"
#include "llm/model.h"

namespace cuco::agent {

// Hears the size of every prompt before it is sent.
using OnPrompt = std::function<void(const std::string& role, const std::vector<SectionSize>&)>;

struct JudgeLimits {
  uint64_t prompt_tokens_max = 150'000;
  uint64_t reply_tokens_max = 4'000;
};

class Judge {
 public:
  // The model must outlive the judge.
  static Result<Judge> load(const std::filesystem::path& share, llm::Model& model, JudgeLimits limits);

  Result<std::string> diagnose(const ProgramText& program, const std::string& directive, const std::string& report,
                               llm::Progress& progress, const OnPrompt& on_prompt) const;

 private:
  Judge(llm::Model& model, PromptTemplate prompt, JudgeLimits limits)
      : model_(&model), prompt_(std::move(prompt)), limits_(limits) {}

  llm::Model* model_;
  PromptTemplate prompt_;
  JudgeLimits limits_;
};

}  // namespace cuco::agent
