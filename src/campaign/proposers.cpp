#include "campaign/proposers.h"

#include <algorithm>

#include "agent/space_text.h"
#include "evolve/proposers/model.h"
#include "evolve/proposers/model_lessons.h"
#include "evolve/proposers/rules.h"

namespace cuco::campaign {

namespace {

class CancelledByInterrupt : public llm::Progress {
 public:
  bool cancelled() const override { return processes_interrupted(); }
};

bool has(const std::vector<std::string>& names, const char* name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

evolve::RulesInput rules_input(const CampaignRun& run) {
  evolve::RulesInput input;
  input.sites = run.writer.sites();
  input.profile = run.writer.profile();
  input.fast_path = run.writer.fast_path_plan();
  input.write = [&writer = run.writer](const space::Plan& plan) { return writer.write(plan); };
  input.learned_order = run.setting.search.learned_order;
  return input;
}

Result<evolve::LoggedModel> logged_model(const std::string& spec, const SearchPlace& place, RunProposers& proposers) {
  evolve::LoggedModel logged;
  logged.name = spec;
  logged.log = &place.log;
  if (proposers.session == nullptr) return logged;
  Result<llm::Model*> model = proposers.session->model(spec);
  if (!model) return model.error();
  logged.model = *model;
  logged.on_known = [session = proposers.session.get()](const llm::Reply& reply) { session->charge(reply); };
  return logged;
}

Status add_model(const CampaignRun& run, const std::string& spec, const SearchPlace& place, RunProposers& proposers) {
  Result<evolve::LoggedModel> model = logged_model(spec, place, proposers);
  if (!model) return model.error();
  evolve::ModelProposerInput input;
  input.share = run.request.tools.share;
  input.model = *model;
  evolve::set_design_space(input, run.writer.sized_sites(), run.writer.profile());
  input.machine += agent::describe_sizes(run.request.configuration.parameters);
  input.analysis = run.writer.analysis();
  input.infer_plan = [&writer = run.writer](const std::vector<SourceFile>& files) { return writer.infer(files); };
  input.progress = proposers.progress.get();
  Result<std::unique_ptr<evolve::Proposer>> proposer = evolve::ModelProposer::make(std::move(input));
  if (!proposer) return proposer.error();
  proposers.choices.push_back({*std::move(proposer), {}});
  if (proposers.lesson_writer) return Done{};
  evolve::ModelLessonsInput lessons;
  lessons.share = run.request.tools.share;
  lessons.model = *model;
  lessons.progress = proposers.progress.get();
  Result<std::unique_ptr<evolve::LessonWriter>> writer = evolve::ModelLessons::make(std::move(lessons));
  if (!writer) return writer.error();
  proposers.lesson_writer = *std::move(writer);
  return Done{};
}

Status open_session(const CampaignRun& run, Context& context, RunProposers& proposers) {
  proposers.clock = std::make_unique<llm::RealClock>();
  llm::SessionOptions options;
  options.caps.usd = run.setting.budget_usd;
  Result<std::unique_ptr<llm::Session>> session =
      llm::Session::open(*context.share, options, context.environment, *proposers.clock);
  if (!session) return session.error();
  proposers.session = *std::move(session);
  return Done{};
}

void charge(llm::Session& session, double cost_usd) {
  llm::Reply paid;
  paid.cost_usd = cost_usd;
  session.charge(paid);
}

// The cap is the run's, whichever process spent it.
Status charge_earlier(const store::Store& store, llm::Session& session) {
  Result<std::vector<store::Step>> steps = store.steps();
  if (!steps) return steps.error();
  for (const store::Step& step : *steps) {
    for (const store::Candidate& candidate : step.candidates)
      if (!candidate.reply.empty()) charge(session, candidate.cost_usd);
    for (const store::Event& event : step.events)
      if (event.cost_usd > 0) charge(session, event.cost_usd);
  }
  return Done{};
}

}  // namespace

Result<RunProposers> make_proposers(const CampaignRun& run, const SearchPlace& place, Context& context) {
  RunProposers proposers;
  if (has(run.setting.proposers, "rules"))
    proposers.choices.push_back({std::make_unique<evolve::RulesProposer>(rules_input(run)), {}});
  if (!has(run.setting.proposers, "model")) return proposers;
  proposers.progress = std::make_unique<CancelledByInterrupt>();
  if (place.source == Source::Anything) {
    if (Status opened = open_session(run, context, proposers); !opened) return opened.error();
    if (Status charged = charge_earlier(place.store, *proposers.session); !charged) return charged.error();
  }
  for (const std::string& spec : run.setting.models)
    if (Status added = add_model(run, spec, place, proposers); !added) return added.error();
  return proposers;
}

}  // namespace cuco::campaign
