// Who proposes in a run: the rules and the models that its campaign names.
#pragma once

#include <memory>
#include <vector>

#include "campaign/run.h"
#include "evolve/lesson_writer.h"
#include "llm/session.h"

namespace cuco::campaign {

// Proposers hold on to what stands before them.
struct RunProposers {
  std::unique_ptr<llm::Clock> clock;
  std::unique_ptr<llm::Progress> progress;
  std::unique_ptr<llm::Session> session;  // Null without models, or when the log alone answers.
  std::vector<evolve::ProposerChoice> choices;
  std::unique_ptr<evolve::LessonWriter> lesson_writer;  // Null: statistics.
};

Result<RunProposers> make_proposers(const CampaignRun& run, const SearchPlace& place, Context& context);

}  // namespace cuco::campaign
