// Lessons by a model: the latest members are summed up, the scratchpad is brought up to date, and designs are
// recommended. Two lessons stand after that, the scratchpad and the recommendations; the scratchpad of the next time is
// taken from them, so nothing else is remembered. A model that gives no reply is an error; the search has statistics.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "agent/summariser.h"
#include "evolve/lesson_writer.h"
#include "evolve/proposers/logged_calls.h"

namespace cuco::evolve {

struct ModelLessonsInput {
  std::filesystem::path share;  // Where prompts/ lies.
  LoggedModel model;
  size_t members_max = 8;  // The latest, that are summed up.
  agent::SummariserLimits limits = {};
  llm::Progress* progress = nullptr;
};

class ModelLessons : public LessonWriter {
 public:
  // An error when a prompt cannot be read. What the input points to must outlive the writer.
  static Result<std::unique_ptr<LessonWriter>> make(ModelLessonsInput input);

  Result<std::vector<store::Lesson>> write(const std::vector<Member>& members,
                                           const std::vector<store::Lesson>& earlier) override;
  double cost_usd() const override { return cost_usd_; }

 private:
  ModelLessons(ModelLessonsInput input, agent::SummariserPrompts prompts)
      : input_(std::move(input)), prompts_(std::move(prompts)) {}

  Result<std::string> reply_to(const Result<agent::RolePrompt>& prompt);

  ModelLessonsInput input_;
  agent::SummariserPrompts prompts_;
  double cost_usd_ = 0;
};

}  // namespace cuco::evolve
