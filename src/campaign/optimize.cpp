#include "campaign/optimize.h"

#include <algorithm>

#include "base/shell_word.h"
#include "base/text.h"
#include "campaign/gpu_setting.h"
#include "llm/model_spec.h"

namespace cuco::campaign {

namespace fs = std::filesystem;

namespace {

Error usage(const std::string& what) { return Error{concat("cuco optimize: error: ", what)}; }

Result<std::vector<std::string>> proposer_names(const OptimizeOptions& options) {
  std::vector<std::string> names;
  if (options.proposers.empty()) {
    names.push_back("rules");
    if (!options.models.empty()) names.push_back("model");
    return names;
  }
  for (const std::string& name : split(options.proposers, ',')) {
    if (name != "rules" && name != "model")
      return usage(concat("--proposers ", options.proposers, ": '", name, "' is none; there are rules and model"));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

Status check_models(const OptimizeOptions& options, const std::vector<std::string>& proposers) {
  bool wanted = std::find(proposers.begin(), proposers.end(), "model") != proposers.end();
  if (wanted && options.models.empty())
    return usage("--proposers model needs --model, such as anthropic:NAME or command:PROGRAM");
  if (!wanted && !options.models.empty()) return usage("--model is given, but --proposers leaves models out");
  for (const std::string& model : options.models)
    if (Result<llm::ModelSpec> spec = llm::parse_model_spec(model); !spec) return usage(spec.error().message);
  return Done{};
}

Status check_budgets(const OptimizeOptions& options) {
  if (options.search.budget_evaluations < 2)
    return usage(concat("--budget-evals ", options.search.budget_evaluations,
                        ": at least 2, one for the program as it is and one for something else"));
  if (options.budget_usd && *options.budget_usd < 0) return usage("--budget-usd cannot be negative");
  if (options.budget_minutes && *options.budget_minutes <= 0) return usage("--budget-minutes must be more than 0");
  if (options.search.islands == 0) return usage("--islands must be at least 1");
  return Done{};
}

// Where and with how many jobs a run is done does not change what it finds, so that is not part of it.
std::string repeat_command(const OptimizeOptions& options, const std::vector<std::string>& proposers,
                           const Context& context) {
  const evolve::SearchOptions& search = options.search;
  std::string command = concat("cuco optimize ", target_text(options.evaluation), selection_text(options.evaluation));
  command += concat(gpu_selection_text(options.evaluation, options.gpu), " --proposers ", join(proposers, ","));
  for (const std::string& model : options.models) command += concat(" --model ", shell_word(model));
  if (options.budget_usd) command += concat(" --budget-usd ", *options.budget_usd);
  if (options.budget_minutes) command += concat(" --budget-minutes ", *options.budget_minutes);
  command +=
      concat(" --budget-evals ", search.budget_evaluations, " --islands ", search.islands, " --seed ", search.seed);
  return command + arguments_text(context);
}

// A turn's proposals cost little until they are built for a GPU, which only the better half is.
constexpr uint32_t kGpuBatch = 8;

// What the virtual cluster is asked about the baseline. Without GPUs its proof sizes are still to be chosen.
Result<evaluate::EvaluationRequest> judging_request(const OptimizeOptions& options, evolve::CampaignSetting& setting,
                                                    Context& context) {
  Result<bool> on_gpus = runs_on_gpus(options.evaluation);
  if (!on_gpus) return on_gpus.error();
  if (!*on_gpus) return describe_evaluation(options.evaluation, context);
  setting.search.batch = kGpuBatch;
  return place_on_gpus(options.evaluation, options.gpu, setting, context);
}

struct Asked {
  evolve::CampaignSetting setting;
  evaluate::EvaluationRequest request;
};
Result<Asked> what_is_asked(const OptimizeOptions& options, Context& context) {
  Result<std::vector<std::string>> proposers = proposer_names(options);
  if (!proposers) return proposers.error();
  if (Status fine = check_models(options, *proposers); !fine) return fine.error();
  if (Status fine = check_budgets(options); !fine) return fine.error();
  Result<evaluate::Workload> workload = find_workload(options.evaluation, context);
  if (!workload) return workload.error();
  evolve::CampaignSetting setting;
  setting.search = options.search;
  Result<evaluate::EvaluationRequest> request = judging_request(options, setting, context);
  if (!request) return request.error();
  setting.name = fs::path(workload->name).stem().string();
  setting.command = repeat_command(options, *proposers, context);
  setting.proposers = *proposers;
  setting.models = options.models;
  setting.budget_usd = options.budget_usd;
  setting.budget_minutes = options.budget_minutes;
  setting.place = {target_text(options.evaluation),
                   selection_text(options.evaluation) + gpu_selection_text(options.evaluation, options.gpu),
                   arguments_text(context),
                   {},
                   {}};
  take_evaluation(*request, setting);
  return Asked{std::move(setting), *std::move(request)};
}

// The program read and analysed. It is refused where nothing can be converted; it has not been run yet.
Result<CampaignRun> analyzed(const OptimizeOptions& options, evolve::CampaignSetting setting, Context& context) {
  Result<CampaignRun> run = analyze_run(std::move(setting), options.choice, context);
  if (!run || !run->writer.fast_paths().empty()) return run;
  CampaignRun staged = through_staging(*run);
  if (!staged.writer.fast_paths().empty()) return staged;
  if (run->setting.proposers == std::vector<std::string>{"rules"}) return Error{run->writer.reasons_against_fast_paths()};
  return run;
}

// What is found out by runs of the program: its proof sizes, its accesses, whether its buffers do as windows.
Status explore(const OptimizeOptions& options, evaluate::EvaluationRequest asked, CampaignRun& run, Context& context) {
  if (!run.setting.gpu)
    if (Status chosen = choose_proofs(options.evaluation, asked); !chosen) return chosen;
  run.setting.proofs = run.request.proofs = asked.proofs;
  run.writer.trace(run.request);
  return run.writer.fast_paths().empty() ? Done{} : settle_windows(run, context);
}

// The first of NAME-CONFIG, NAME-CONFIG-2, ... that is not there.
fs::path unused_folder(const evolve::CampaignSetting& setting) {
  fs::path first = fs::path("runs") / concat(setting.name, "-", setting.configuration.name);
  fs::path folder = first;
  for (int i = 2; fs::exists(folder); i++) folder = concat(first.string(), "-", i);
  return folder;
}

Result<store::RunFolder> begin_run(const evolve::CampaignSetting& setting, const fs::path& path) {
  if (store::is_run(path))
    return Error{concat(path.string(), ": holds a run already; cuco resume ", path.string(),
                        " goes on with it, or choose another folder with --out")};
  for (const char* name : {"campaign.json", "program", "log.jsonl", "best", "best.plan", "report.html"})
    if (std::error_code ignored; fs::exists(path / name, ignored))
      return Error{
          concat((path / name).string(), ": is there already and is no run's; choose another folder with --out")};
  return store::RunFolder::create(path, setting.command);
}

// A run that failed before its first step has nothing worth keeping. Of the folders only those in `made` are not the
// user's.
void remove_if_empty(const fs::path& path, const std::vector<fs::path>& made) {
  Result<store::Store> store = store::Store::open_read_only(store::store_file_of(path));
  Result<uint64_t> steps = store ? store->last_step() : Result<uint64_t>(store.error());
  if (steps && *steps > 0) return;
  std::error_code ignored;
  for (const char* name : {"campaign.sqlite", "campaign.sqlite-wal", "campaign.sqlite-shm", "log.jsonl",
                           "campaign.json", "program", "lock"})
    fs::remove_all(path / name, ignored);
  for (const fs::path& folder : made) fs::remove(folder, ignored);
}

// `path` and the folders above it that are not there, the deepest first.
std::vector<fs::path> missing_folders(const fs::path& path) {
  std::vector<fs::path> missing;
  for (fs::path each = path; !each.empty() && !fs::exists(each); each = each.parent_path()) missing.push_back(each);
  return missing;
}

}  // namespace

Status optimize(const OptimizeOptions& options, Context& context) {
  Result<Asked> asked = what_is_asked(options, context);
  if (!asked) return asked.error();
  Result<CampaignRun> run = analyzed(options, std::move(asked->setting), context);
  if (!run) return run.error();
  fs::path path = options.out.empty() ? unused_folder(run->setting) : fs::path(options.out);
  std::vector<fs::path> made = missing_folders(path);
  end_processes_on_interrupt();
  Status done = Done{};
  {
    Result<store::RunFolder> folder = begin_run(run->setting, path);
    if (!folder) return folder.error();
    done = explore(options, std::move(asked->request), *run, context);
    if (done) done = evolve::save_campaign(run->setting, path);
    if (done) context.err << "run " << path.string() << "\n";
    if (done) done = carry_out(*run, *folder, options.choice, context);
  }
  bool goes_on = processes_interrupted() && fs::exists(path / "campaign.json");
  if (!done && !goes_on) remove_if_empty(path, made);
  return done;
}

}  // namespace cuco::campaign
