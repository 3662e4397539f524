#include "campaign/run.h"

#include <unistd.h>

#include <iostream>

#include "base/shell_word.h"
#include "base/text.h"
#include "campaign/evaluation_request.h"
#include "campaign/found_run.h"
#include "campaign/gpu_run.h"
#include "campaign/proposers.h"
#include "campaign/results.h"
#include "campaign/time_budget.h"
#include "evolve/gpu_evaluator.h"
#include "evolve/members.h"
#include "evolve/vcluster_evaluator.h"

namespace cuco::campaign {

namespace fs = std::filesystem;

namespace {

evolve::VclusterSetting evaluator_setting(const CampaignRun& run, const SearchPlace& place, ProgressDisplay& display) {
  evolve::VclusterSetting setting;
  setting.request = run.request;
  // What runs on GPUs is built with nvcc for them anyway.
  if (run.setting.gpu) setting.request.with_nvcc = false;
  setting.setting = evolve::verdict_setting(run.setting);
  setting.job_count = run.jobs;
  setting.from_log_alone = place.source == Source::LogAlone;
  setting.on_level = [&display](store::Id id, const std::string& level) { display.on_level(id, level); };
  return setting;
}

evolve::GpuEvaluatorSetting gpu_setting(const CampaignRun& run, const SearchPlace& place, ProgressDisplay& display,
                                        Context& context) {
  if (!run.setting.gpu) return {};
  evolve::GpuEvaluatorSetting setting = gpu_evaluator_setting(run, context);
  setting.from_log_alone = place.source == Source::LogAlone;
  setting.on_level = [&display](store::Id id, const std::string& level) { display.on_level(id, level); };
  return setting;
}

// As the search will ask, whose first screenings then find the answers in the cache.
Result<evaluate::Verdict> screened(const CampaignRun& run, const std::vector<SourceFile>& files,
                                   std::optional<double> baseline_us) {
  evaluate::EvaluationRequest request = run.request;
  request.candidate = request.parent = files;
  request.rewritten = true;
  request.seed_count = evolve::kScreenSeeds;
  request.with_nvcc = false;
  if (request.is_sampled()) request.compared_below_us = baseline_us;
  request.job_count = run.jobs;
  return evaluate::evaluate(request);
}

Result<bool> simplest_form_passes(const CampaignRun& run) {
  Result<evaluate::Verdict> baseline = screened(run, run.setting.baseline, std::nullopt);
  if (!baseline) return baseline.error();
  std::vector<store::Candidate> forms = run.writer.fast_paths();
  if (forms.empty() || !baseline->timing) return false;
  Result<evaluate::Verdict> verdict = screened(run, forms[0].files, baseline->timing->median_us);
  if (!verdict) return verdict.error();
  return verdict->passed();
}

Error stopped_early(const fs::path& folder) {
  return Error{concat("stopped; nothing is lost: cuco resume ", shell_word(folder.string()))};
}

}  // namespace

Result<CampaignRun> analyze_run(evolve::CampaignSetting setting, const RunChoice& choice, Context& context) {
  if (!context.share) return context.share.error();
  Result<evaluate::Tools> tools = evaluate::find_tools(*context.share, context.environment);
  if (!tools) return tools.error();
  evaluate::EvaluationRequest request = evolve::request_of(setting);
  request.tools = *tools;
  if (fs::path cache = cache_folder(choice.cache, context); !cache.empty()) request.cache = evaluate::Cache(cache);
  Result<evolve::PlanWriter> writer = evolve::PlanWriter::read(request);
  if (!writer) return writer.error();
  if (setting.staged) writer->stage_all();
  return CampaignRun{std::move(setting), std::move(request), *std::move(writer), job_count(choice.jobs)};
}

Result<CampaignRun> prepare_run(evolve::CampaignSetting setting, const RunChoice& choice, Context& context) {
  Result<CampaignRun> run = analyze_run(std::move(setting), choice, context);
  if (run) run->writer.trace(run->request);
  return run;
}

CampaignRun through_staging(CampaignRun run) {
  run.writer.stage_all();
  run.setting.staged = true;
  return run;
}

Status settle_windows(CampaignRun& run, Context& context) {
  if (space::is_all_staged(run.writer.sites())) return Done{};
  Result<bool> passes = simplest_form_passes(run);
  if (!passes) return passes.error();
  if (*passes) return Done{};
  CampaignRun staged = through_staging(run);
  passes = simplest_form_passes(staged);
  if (!passes) return passes.error();
  if (!*passes) return Done{};
  context.err << "windows do not do for this program: everything goes through staging memory\n";
  run = std::move(staged);
  return Done{};
}

store::Candidate baseline_of(const CampaignRun& run) {
  space::Plan plan;
  for (const space::SiteFacts& site : run.writer.sites()) plan.choices.push_back({site.name, {}});
  store::Candidate baseline;
  baseline.plan = space::to_text(plan);
  baseline.proposer = "baseline";
  baseline.intent = "The program as it is.";
  baseline.files = run.setting.baseline;
  return baseline;
}

Result<evolve::Outcome> search_run(const CampaignRun& run, const SearchPlace& place, ProgressDisplay& display,
                                   Context& context) {
  evolve::VclusterEvaluator check(evaluator_setting(run, place, display), place.log);
  evolve::SearchInput input;
  input.options = run.setting.search;
  input.baseline = baseline_of(run);
  input.first = run.writer.fast_paths();
  if (input.first.empty()) input.first = run.writer.marked();
  if (run.setting.gpu) input.next_baselines = gpu_baselines(run, input.baseline);
  evolve::GpuEvaluator measure(gpu_setting(run, place, display, context), check, place.log);
  Result<RunProposers> proposers = make_proposers(run, place, context);
  if (!proposers) return proposers.error();
  input.proposers = std::move(proposers->choices);
  input.lesson_writer = proposers->lesson_writer.get();
  input.evaluator = run.setting.gpu ? static_cast<evolve::Evaluator*>(&measure) : &check;
  input.store = &place.store;
  input.progress = [&display](const evolve::Progress& progress) { display.on_progress(progress); };
  input.interrupted = place.interrupted;
  TimeBudget budget(
      run.setting.budget_minutes, place.log, [&display] { return display.elapsed_s(); },
      place.source == Source::LogAlone);
  input.out_of_time = [&budget](uint64_t step) { return budget.out_of_time(step); };
  return evolve::search(input);
}

Status carry_out(const CampaignRun& run, const store::RunFolder& folder, const RunChoice& choice, Context& context) {
  Form form = choice.single_file ? Form::SingleFile : Form::Folder;
  if (Status fine = check_run_results(run, folder.path(), form); !fine) return fine;
  Result<store::Log> log = store::Log::open(folder.log_file());
  if (!log) return log.error();
  Result<store::Store> store = open_store(folder, run.setting);
  if (!store) return store.error();
  end_processes_on_interrupt();
  ProgressDisplay display(context.err, isatty(STDERR_FILENO) == 1 ? ShownAs::Block : ShownAs::Lines);
  Result<evolve::Outcome> outcome =
      search_run(run, {*store, *log, Source::Anything, processes_interrupted}, display, context);
  display.clear();
  if (processes_interrupted()) return stopped_early(folder.path());
  if (!outcome) return outcome.error();
  Result<report::RunView> view = view_of_run(*store, *outcome);
  if (!view) return view.error();
  Result<Delivery> written = write_run_results(run, *view, folder.path(), form);
  if (!written) return written.error();
  SummaryInput input{*view, run, folder.path(), *written, display.elapsed_s()};
  context.out << (choice.json ? summary_json(input) : summary_text(input));
  return Done{};
}

Result<fs::path> find_run_or_log(const std::string& given) {
  Result<fs::path> run = find_run(given);
  if (run) return run;
  for (const fs::path& folder : {fs::path(given), fs::path("runs") / given})
    if (fs::exists(store::log_file_of(folder))) return folder;
  return run;
}

Result<store::Store> open_store(const store::RunFolder& folder, const evolve::CampaignSetting& setting) {
  if (store::is_run(folder.path())) return store::Store::open(folder.store_file());
  return store::Store::create(folder.store_file(), evolve::campaign_of(setting));
}

}  // namespace cuco::campaign
