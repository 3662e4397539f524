// cuco resume: goes on with a run that was stopped, as if it had never been.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "campaign/found_run.h"
#include "campaign/run.h"
#include "cli/options.h"

namespace cuco::cli {

namespace fs = std::filesystem;

namespace {

struct ResumeOptions {
  std::string run;
  campaign::RunChoice choice;
};

Status resume(const ResumeOptions& options, Context& context) {
  Result<fs::path> found = campaign::find_run_or_log(options.run);
  if (!found) return found.error();
  const fs::path& path = *found;
  std::string command = concat("cuco resume ", path.string());
  // A run may be killed after its log and before its database was made.
  Result<store::RunFolder> folder =
      store::is_run(path) ? store::RunFolder::open(path, command) : store::RunFolder::open_for_rebuild(path, command);
  if (!folder) return folder.error();
  Result<evolve::CampaignSetting> setting = evolve::load_campaign(path);
  if (!setting) return setting.error();
  Result<campaign::CampaignRun> run = campaign::prepare_run(*std::move(setting), options.choice, context);
  if (!run) return run.error();
  return campaign::carry_out(*run, *folder, options.choice, context);
}

}  // namespace

void add_resume(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<ResumeOptions>();
  CLI::App* command = app.add_subcommand("resume", "Go on with a run of optimize that was stopped");
  add_run_option(*command, options->run);
  add_run_choice(*command, options->choice);
  command->footer(R"(Examples:
  cuco resume runs/mine-small
  cuco resume mine-small --jobs 8

The end is the same as that of a run that was never stopped, and nothing is evaluated or asked twice. Of a run that is
finished it writes best/ and report.html again and prints the summary.)");
  command->callback([options, &chosen] { chosen = [options](Context& context) { return resume(*options, context); }; });
}

}  // namespace cuco::cli
