#include "campaign/results.h"

#include <future>

#include "base/diff.h"
#include "base/files.h"
#include "base/number_text.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "evolve/gpu_evaluator.h"
#include "evolve/vcluster_evaluator.h"
#include "report/html.h"
#include "report/report.h"

namespace cuco::campaign {

namespace fs = std::filesystem;

namespace {

using report::Entry;
using report::RunView;

constexpr const char* kReport = "report.html";

// Text from anywhere as one line of a comment.
std::string comment_line(const std::string& text) { return concat("# ", squeeze(text), "\n"); }

std::string evaluate_command(const CampaignRun& run, const fs::path& candidate) {
  const evolve::CampaignPlace& place = run.setting.place;
  return concat("cuco evaluate ", place.target, place.selection, " --candidate ", shell_word(candidate.string()),
                " --rewritten --seeds ", evolve::kFullSeeds, place.arguments);
}

std::string clock_of(const CampaignRun& run) {
  return run.setting.gpu ? concat(" on ", run.setting.gpu->device) : " of virtual time";
}

std::string original_words(const RunView& view) {
  return view.baseline == 1 ? "the original" : report::design_of(*view.find(view.baseline));
}

std::string head_comment(const CampaignRun& run, const RunView& view, const Entry& best, const Delivery& delivery) {
  std::string text = comment_line(concat("Written by cuco: ", view.campaign.name, ", ", setting_words(run.setting),
                                         ", candidate #", best.candidate.id, ". ", best.candidate.intent));
  for (const auto& [name, value] : evolve::variables_of(best.candidate))
    text += comment_line(concat("To be run with ", name, "=", value, "."));
  std::optional<double> us = best.time_us(), before = view.baseline_us(), gain = report::speedup(view, best);
  if (us && before && gain)
    text += comment_line(concat("Takes ", duration(*us), clock_of(run), ", ", original_words(view), " ",
                                duration(*before), ": ", factor(*gain), ", verified under ",
                                counted(best.judgement()->schedules, "schedule"), "."));
  text +=
      comment_line("Verified at this configuration. At another size it has to be judged again before it is trusted.");
  return concat(text, comment_line(concat("To build it: ", delivery.build_command())),
                comment_line(concat("To judge it again: ", evaluate_command(run, delivery.place()))),
                comment_line(concat("To search again: ", view.campaign.command)), "\n");
}

// As `cuco transform --plan` takes it; of a program without a stated plan what its text shows.
std::string plan_text(const store::Candidate& candidate) {
  return candidate.plan.empty() ? candidate.inferred_plan : candidate.plan;
}

Result<report::Timeline> timeline_of(const CampaignRun& run, const Entry& entry) {
  evaluate::EvaluationRequest request = run.request;
  request.candidate = entry.candidate.files;
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

std::string unified_diffs(const std::vector<SourceFile>& before, const std::vector<SourceFile>& after) {
  std::string text;
  for (size_t i = 0; i < before.size() && i < after.size(); i++)
    text += unified_diff({concat("baseline/", before[i].name), before[i].text},
                         {concat("best/", after[i].name), after[i].text});
  return text;
}

std::string report_text(const CampaignRun& run, const RunView& view, const Entry& best, const fs::path& folder,
                        const Delivery& delivery) {
  report::ReportInput input;
  input.view = view;
  input.setting = setting_words(run.setting);
  add_timelines(run, *view.find(1), best, input);
  if (view.best != 1) input.diff = unified_diffs(view.find(1)->candidate.files, best.candidate.files);
  input.repeat = {view.campaign.command, concat("cuco replay ", shell_word(folder.string())),
                  evaluate_command(run, delivery.place()), delivery.build_command()};
  return report::to_html(input);
}

Result<Delivery> delivery_of(const CampaignRun& run, const std::vector<SourceFile>& program, const fs::path& folder,
                             Form form) {
  fs::path one_file = fs::path("best").replace_extension(fs::path(program.front().name).extension());
  return Delivery::make(run.request, program, folder / (form == Form::SingleFile ? one_file : "best"), form);
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

Result<Delivery> write_run_results(const CampaignRun& run, const RunView& view, const fs::path& folder, Form form) {
  const Entry* best = view.find(view.best);
  CUCO_ASSERT(best != nullptr && view.find(view.baseline) != nullptr);
  Result<Delivery> delivery = delivery_of(run, best->candidate.files, folder, form);
  if (!delivery) return delivery;
  delivery->add_beside(".plan", head_comment(run, view, *best, *delivery) + plan_text(best->candidate));
  delivery->add(kReport, report_text(run, view, *best, folder, *delivery));
  if (Status written = delivery->write(); !written) return written.error();
  return delivery;
}

Status check_run_results(const CampaignRun& run, const fs::path& folder, Form form) {
  Result<Delivery> delivery = delivery_of(run, run.request.baseline, folder, form);
  if (!delivery) return delivery.error();
  delivery->add_beside(".plan", "");
  delivery->add(kReport, "");
  return delivery->check();
}

}  // namespace cuco::campaign
