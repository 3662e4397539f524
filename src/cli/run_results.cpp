#include "cli/run_results.h"

#include <future>

#include "base/diff.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/shell_word.h"
#include "evolve/gpu_evaluator.h"
#include "evolve/vcluster_evaluator.h"
#include "report/html.h"
#include "report/report.h"

namespace cuco::cli {

namespace fs = std::filesystem;

namespace {

using report::Entry;
using report::RunView;

std::vector<evaluate::SourceFile> source_files(const store::Candidate& candidate) {
  std::vector<evaluate::SourceFile> files;
  for (const store::File& file : candidate.files) files.push_back({file.name, file.text});
  return files;
}

// Text from anywhere as one line of a comment: a backslash at its end would take the next line in.
std::string comment_line(const std::string& text) {
  std::string line = squeeze(text);
  while (line.ends_with('\\')) line.pop_back();
  return concat("// ", line, "\n");
}

std::string evaluate_command(const CampaignRun& run, const fs::path& candidate) {
  const evolve::CampaignPlace& place = run.setting.place;
  return concat("cuco evaluate ", shell_word(place.target), place.selection, " --candidate ",
                shell_word(candidate.string()), " --rewritten --seeds ", evolve::kFullSeeds, place.arguments);
}

// What `cuco evaluate --candidate` takes for the whole program.
fs::path whole_program(const Entry& best, const fs::path& folder) {
  return folder / (best.candidate.files.size() > 1 ? "best" : "best.cu");
}

std::string plan_comment(const Entry& entry) {
  const store::Candidate& candidate = entry.candidate;
  const std::string& plan = candidate.plan.empty() ? candidate.inferred_plan : candidate.plan;
  std::string text;
  for (const std::string& line : split(trim(plan), '\n'))
    if (!line.empty()) text += comment_line(concat("  ", line));
  return text.empty() ? "" : concat("// Plan:\n", text);
}

std::string clock_of(const CampaignRun& run) {
  return run.setting.gpu ? concat(" on ", run.setting.gpu->device) : " of virtual time";
}

std::string original_words(const RunView& view) {
  return view.baseline == 1 ? "the original" : report::design_of(*view.find(view.baseline));
}

std::string head_comment(const CampaignRun& run, const RunView& view, const Entry& best, const fs::path& folder) {
  std::string text = comment_line(concat("Written by cuco: ", view.campaign.name, ", ", setting_words(run.setting),
                                         ", candidate #", best.candidate.id, ". ", best.candidate.intent));
  text += plan_comment(best);
  for (const auto& [name, value] : evolve::variables_of(best.candidate))
    text += comment_line(concat("To be run with ", name, "=", value, "."));
  std::optional<double> us = best.time_us(), before = view.baseline_us(), gain = report::speedup(view, best);
  if (us && before && gain)
    text += comment_line(concat("Takes ", report::duration(*us), clock_of(run), ", ", original_words(view), " ",
                                report::duration(*before), ": ", report::factor(*gain), ", verified under ",
                                counted(best.judgement()->schedules, "schedule"), "."));
  text +=
      comment_line("Verified at this configuration. At another size it has to be judged again before it is trusted.");
  return concat(text, comment_line(concat("To judge it again: ", evaluate_command(run, whole_program(best, folder)))),
                comment_line(concat("To search again: ", view.campaign.command)), "\n");
}

Status write_best(const CampaignRun& run, const RunView& view, const Entry& best, const fs::path& folder) {
  const std::vector<store::File>& files = best.candidate.files;
  if (Status written = write_file(folder / "best.plan", best.candidate.plan); !written) return written;
  for (size_t i = 0; files.size() > 1 && i < files.size(); i++) {
    fs::path path = folder / "best" / files[i].name;
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    if (failure) return Error{concat(path.parent_path().string(), ": cannot be made: ", failure.message())};
    if (Status written = write_file(path, files[i].text); !written) return written;
  }
  return write_file(folder / "best.cu", head_comment(run, view, best, folder) + files.front().text);
}

Result<report::Timeline> timeline_of(const CampaignRun& run, const Entry& entry) {
  evaluate::EvaluationRequest request = run.request;
  request.candidate = source_files(entry.candidate);
  Result<evaluate::TracedRun> traced = evaluate::trace_candidate(request);
  if (!traced) return traced.error();
  return report::read_timeline(traced->trace, traced->begin_us, traced->end_us);
}

void add_timelines(const CampaignRun& run, const Entry& baseline, const Entry& best, report::ReportInput& input) {
  std::future<Result<report::Timeline>> beside =
      std::async(std::launch::async, [&] { return timeline_of(run, baseline); });
  Result<report::Timeline> after = timeline_of(run, best), before = beside.get();
  if (before && after)
    input.timelines = {{"baseline", *std::move(before)}, {concat("best #", best.candidate.id), *std::move(after)}};
  else
    input.timeline_note = concat("There is no timeline: ", (before ? after : before).error().message);
}

std::string unified_diffs(const std::vector<store::File>& before, const std::vector<store::File>& after) {
  std::string text;
  for (size_t i = 0; i < before.size() && i < after.size(); i++)
    text += unified_diff({concat("baseline/", before[i].name), before[i].text},
                         {concat("best/", after[i].name), after[i].text});
  return text;
}

Status write_report(const CampaignRun& run, const RunView& view, const Entry& best, const fs::path& folder) {
  report::ReportInput input;
  input.view = view;
  input.setting = setting_words(run.setting);
  add_timelines(run, *view.find(1), best, input);
  if (view.best != 1) input.diff = unified_diffs(view.find(1)->candidate.files, best.candidate.files);
  input.repeat = {view.campaign.command, concat("cuco replay ", shell_word(folder.string())),
                  evaluate_command(run, whole_program(best, folder))};
  return write_file(folder / "report.html", report::to_html(input));
}

}  // namespace

Result<RunView> view_of_run(const store::Store& store, const evolve::Outcome& outcome) {
  Result<store::Campaign> campaign = store.campaign();
  if (!campaign) return campaign.error();
  Result<std::vector<store::Step>> steps = store.steps();
  if (!steps) return steps.error();
  RunView view = report::view_of(*campaign, *steps);
  view.baseline = outcome.baseline;
  view.fast_path = outcome.fast_path;
  view.best = outcome.best;
  view.evaluations = outcome.evaluations;
  view.rejected = outcome.rejected;
  view.untimed = outcome.untimed;
  view.stop_reason = outcome.stop_reason;
  return view;
}

Status write_run_results(const CampaignRun& run, const RunView& view, const fs::path& folder) {
  const Entry* best = view.find(view.best);
  CUCO_ASSERT(best != nullptr && view.find(view.baseline) != nullptr);
  if (Status written = write_best(run, view, *best, folder); !written) return written;
  return write_report(run, view, *best, folder);
}

}  // namespace cuco::cli
