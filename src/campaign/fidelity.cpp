#include "campaign/fidelity.h"

#include "base/scratch_folder.h"
#include "base/text.h"
#include "campaign/fidelity_rows.h"
#include "campaign/found_run.h"
#include "campaign/gpu_run.h"
#include "campaign/gpu_setting.h"
#include "evolve/vcluster_evaluator.h"
#include "report/run_view.h"

namespace cuco::campaign {

namespace fs = std::filesystem;

namespace {

FidelityResult heading(const evolve::CampaignSetting& setting) {
  FidelityResult result;
  result.name = setting.name;
  result.configuration = concat(setting.configuration.name, ", ", counted(setting.configuration.rank_count, "rank"));
  result.profile = setting.configuration.profile;
  result.device = setting.gpu->device;
  result.software = setting.gpu->software;
  return result;
}

FidelityRow row_of(const store::Candidate& candidate, const evaluate::Verdict& verdict) {
  FidelityRow row;
  Result<space::Plan> plan = space::parse_plan(candidate.plan, "plan");
  report::Entry entry{candidate, {}, {}, plan ? std::optional(*plan) : std::nullopt};
  row.plan = report::design_of(entry);
  row.virtual_us = verdict.predicted_us;
  if (!verdict.executor.empty() && verdict.passed() && verdict.timing) {
    row.gpu_us = verdict.timing->median_us;
    row.spread_us = verdict.timing->spread_us;
    // The path of a measured time is the virtual one, as shares of it.
    if (row.virtual_us)
      row.virtual_compute_us = *row.virtual_us * verdict.timing->path.compute_us / verdict.timing->median_us;
  }
  for (const evaluate::Finding& finding : verdict.findings)
    if (finding.is_error() && row.rejection.empty()) row.rejection = concat("rejected: ", finding.kind);
  return row;
}

// What the virtual cluster is asked about a program of a run.
Result<evaluate::EvaluationRequest> timing_request(const evolve::CampaignSetting& setting,
                                                   const FidelityOptions& options, Context& context) {
  if (!context.share) return context.share.error();
  Result<evaluate::Tools> tools = evaluate::find_tools(*context.share, context.environment);
  if (!tools) return tools.error();
  evaluate::EvaluationRequest request = evolve::request_of(setting);
  request.tools = *tools;
  if (fs::path cache = cache_folder(options.choice.cache, context); !cache.empty())
    request.cache = evaluate::Cache(cache);
  if (!options.evaluation.profile.empty()) request.configuration.profile = options.evaluation.profile;
  request.limits.processor_s = options.evaluation.time_limit_s;
  request.limits.memory_bytes = options.evaluation.memory_gib << 30;
  request.seed_count = 1;
  request.with_nvcc = false;
  request.rewritten = true;
  return request;
}

void take_virtual_time(const Result<evaluate::Verdict>& verdict, FidelityRow& row) {
  if (!verdict || !verdict->passed() || !verdict->timing) return;
  row.virtual_us = verdict->timing->median_us;
  row.virtual_compute_us = verdict->timing->path.compute_us;
}

// Times programs by the virtual clock as it is, all as `common` says. Rows of programs that it does not time stay.
void time_virtually(const evaluate::EvaluationRequest& common, const std::vector<store::Candidate>& candidates,
                    unsigned jobs, std::vector<FidelityRow>& rows) {
  std::vector<evaluate::EvaluationRequest> requests;
  for (const store::Candidate& candidate : candidates) {
    requests.push_back(common);
    requests.back().candidate = requests.back().parent = candidate.files;
  }
  std::vector<Result<evaluate::Verdict>> verdicts = evaluate::evaluate_all(requests, jobs);
  for (size_t i = 0; i < rows.size(); i++) take_virtual_time(verdicts[i], rows[i]);
}

// A program that the clock as it is does not time has no virtual time.
Status retime(const evolve::CampaignSetting& setting, const std::vector<store::Candidate>& candidates,
              const FidelityOptions& options, Context& context, FidelityResult& result) {
  Result<evaluate::EvaluationRequest> common = timing_request(setting, options, context);
  if (!common) return common.error();
  for (FidelityRow& row : result.rows) row.virtual_us = row.virtual_compute_us = std::nullopt;
  time_virtually(*common, candidates, job_count(options.choice.jobs), result.rows);
  result.profile = common->configuration.profile;
  return Done{};
}

// A run's programs that have a measured time, each with its row.
struct MeasuredPrograms {
  std::vector<store::Candidate> candidates;
  std::vector<FidelityRow> rows;
  double compute_us = 0;  // Of the first, without its communication.
};

Result<MeasuredPrograms> measured_programs(const std::string& given) {
  Result<store::Store> store = open_run(given);
  if (!store) return store.error();
  Result<std::vector<store::Step>> steps = store->steps();
  if (!steps) return steps.error();
  MeasuredPrograms programs;
  for (const report::Entry& entry : report::view_of(*store->campaign(), *steps).entries) {
    if (!entry.screen) continue;
    evaluate::Verdict verdict = evaluate::verdict_from_json(entry.screen->verdict);
    FidelityRow row = row_of(entry.candidate, verdict);
    if (!row.gpu_us) continue;
    if (programs.rows.empty()) programs.compute_us = verdict.timing->bound_compute_us;
    programs.rows.push_back(std::move(row));
    programs.candidates.push_back(entry.candidate);
  }
  return programs;
}

// What a run has measured, and what its virtual clock said before.
Result<FidelityResult> from_run(const FidelityOptions& options, Context& context) {
  Result<fs::path> folder = find_run(options.from);
  if (!folder) return folder.error();
  Result<evolve::CampaignSetting> setting = evolve::load_campaign(*folder);
  if (!setting) return setting.error();
  if (!setting->gpu)
    return Error{concat(options.from,
                        ": was run on the virtual cluster alone; a run of 'cuco optimize --on' has times of GPUs")};
  Result<MeasuredPrograms> programs = measured_programs(options.from);
  if (!programs) return programs.error();
  FidelityResult result = heading(*setting);
  result.rows = programs->rows;
  if (options.retime)
    if (Status timed = retime(*setting, programs->candidates, options, context, result); !timed) return timed.error();
  anchor(programs->compute_us, result.rows);
  return result;
}

Result<CampaignRun> prepare(const FidelityOptions& options, Context& context) {
  Result<bool> on_gpus = runs_on_gpus(options.evaluation);
  if (!on_gpus) return on_gpus.error();
  if (!*on_gpus)
    return Error{"cuco fidelity: error: --on vcluster: the virtual clock is compared with GPUs; one of mpi, one-gpu"};
  Result<evaluate::Workload> workload = find_workload(options.evaluation, context);
  if (!workload) return workload.error();
  evolve::CampaignSetting setting;
  setting.name = workload->name;
  Result<evaluate::EvaluationRequest> request = place_on_gpus(options.evaluation, options.gpu, setting, context);
  if (!request) return request.error();
  take_evaluation(*request, setting);
  return prepare_run(std::move(setting), options.choice, context);
}

std::vector<store::Candidate> candidates_of(const CampaignRun& run, const FidelityOptions& options) {
  std::vector<store::Candidate> candidates = {baseline_of(run)};
  for (store::Candidate& each : evolve::sampled_candidates(run.writer, options.candidates, Random(options.seed)))
    candidates.push_back(std::move(each));
  for (size_t i = 0; i < candidates.size(); i++) candidates[i].id = static_cast<store::Id>(i) + 1;
  return candidates;
}

Result<std::vector<evaluate::Verdict>> measure(const CampaignRun& run, const std::vector<store::Candidate>& candidates,
                                               Context& context) {
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-fidelity");
  if (!scratch) return scratch.error();
  Result<store::Log> log = store::Log::open(scratch->path() / "log.jsonl");
  if (!log) return log.error();
  evolve::VclusterSetting check_setting;
  check_setting.request = run.request;
  check_setting.setting = evolve::verdict_setting(run.setting);
  check_setting.job_count = run.jobs;
  evolve::VclusterEvaluator check(check_setting, *log);
  evolve::GpuEvaluatorSetting setting = gpu_evaluator_setting(run, context);
  setting.on_level = [&](store::Id id, const std::string& level) {
    context.err << id << "/" << candidates.size() << " " << level << std::endl;
  };
  std::vector<evolve::Task> tasks;
  for (const store::Candidate& candidate : candidates) tasks.push_back({&candidate, nullptr, evolve::Depth::Screen});
  return evolve::GpuEvaluator(setting, check, *log).evaluate(tasks);
}

Result<FidelityResult> measured(const FidelityOptions& options, Context& context) {
  Result<CampaignRun> run = prepare(options, context);
  if (!run) return run.error();
  end_processes_on_interrupt();
  std::vector<store::Candidate> candidates = candidates_of(*run, options);
  Result<std::vector<evaluate::Verdict>> verdicts = measure(*run, candidates, context);
  if (!verdicts) return verdicts.error();
  FidelityResult result = heading(run->setting);
  for (size_t i = 0; i < candidates.size(); i++) result.rows.push_back(row_of(candidates[i], (*verdicts)[i]));
  if (const std::optional<evaluate::Timing>& first = verdicts->front().timing)
    anchor(first->bound_compute_us, result.rows);
  return result;
}

}  // namespace

Status show_fidelity(const FidelityOptions& options, Context& context) {
  if (options.from.empty() && options.evaluation.targets.empty())
    return Error{"cuco fidelity: error: name a workload, or a run with --from"};
  Result<FidelityResult> result = options.from.empty() ? measured(options, context) : from_run(options, context);
  if (!result) return result.error();
  context.out << (options.choice.json ? fidelity_json(*result) : fidelity_text(*result));
  return Done{};
}

}  // namespace cuco::campaign
