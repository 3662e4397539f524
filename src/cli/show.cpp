// cuco show: a run's candidates at a glance, or one of them with its plan, its verdict and its files.
#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "base/number_text.h"
#include "base/table.h"
#include "base/text.h"
#include "campaign/found_run.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/run_json.h"
#include "evaluate/verdict.h"
#include "report/reasons.h"
#include "store/run_folder.h"

namespace cuco::cli {

namespace fs = std::filesystem;

namespace {

constexpr size_t kIntentBytesMax = 72;

struct ShowRequest {
  std::string run;
  std::string id;  // Empty: all of them.
  bool text = false;
  bool json = false;
};

std::string shown_id(store::Id id) { return id == store::kNoId ? "-" : concat("#", id); }

std::string share_text(const std::optional<double>& share) { return share ? percent(*share) : "-"; }

std::string shortened(const std::string& text) {
  std::string line = squeeze(text);
  if (line.size() <= kIntentBytesMax) return line;
  size_t end = kIntentBytesMax;
  while ((line[end] & 0xc0) == 0x80) --end;
  return line.substr(0, end) + "...";
}

// What became of it, in one word or two.
std::string outcome_of(const store::CandidateSummary& summary) {
  if (!summary.failure.empty()) return "no program";
  if (!summary.judgement) return "not judged";
  if (!summary.judgement->passed) return concat("rejected after '", summary.judgement->level, "'");
  return summary.judgement->depth == "full" ? "passed, closer look" : "passed";
}

std::string state_line(const fs::path& folder, const store::Overview& overview) {
  campaign::RunState state = campaign::state_of(folder, overview);
  std::string reason = overview.stop_reason ? concat(": ", *overview.stop_reason) : "";
  if (state == campaign::RunState::Stopped) return concat("stopped; 'cuco resume ", folder.string(), "' goes on");
  if (state == campaign::RunState::Finished) return concat("finished", reason);
  std::optional<store::LockHolder> holder = store::lock_holder(folder);
  return holder && holder->process != 0 ? concat("running, process ", holder->process) : "running";
}

// Why the best is faster than the baseline, a line each; nothing as long as it is not.
Result<std::string> reasons_text(const store::Store& store, const store::Campaign& campaign,
                                 const store::Overview& overview) {
  if (!overview.best || !overview.baseline) return std::string();
  Result<std::vector<store::Step>> steps = store.steps();
  if (!steps) return steps.error();
  report::RunView view = report::view_of(campaign, *steps);
  view.baseline = overview.baseline->id;
  view.best = overview.best->id;
  std::string text;
  for (const std::string& reason : report::reasons_of(view)) text += concat(reason, "\n");
  return text;
}

void write_head(std::ostream& out, const fs::path& folder, const store::Campaign& campaign,
                const store::Overview& overview) {
  out << campaign.name << (campaign.configuration.empty() ? "" : concat(", ", campaign.configuration)) << "\n";
  out << "command  " << campaign.command << "\n";
  out << "state    " << state_line(folder, overview) << "\n";
  out << counted(static_cast<size_t>(overview.candidates), "candidate") << ", " << overview.evaluations
      << " evaluated, " << overview.rejected << " rejected";
  if (overview.cost_usd > 0) out << ", $" << overview.cost_usd;
  out << "\n";
  if (overview.best)
    out << "best #" << overview.best->id << ", " << campaign::time_text(overview.best->judgement->time_us) << ", "
        << campaign::speedup_text(campaign::speedup(overview, overview.best->judgement)) << "\n";
}

void write_table(std::ostream& out, const store::Overview& overview,
                 const std::vector<store::CandidateSummary>& summaries) {
  using enum Table::Align;
  Table table({{"id", Right},
               {"parent", Right},
               {"island", Right},
               {"generation", Right},
               {"proposer"},
               {"time", Right},
               {"speed-up", Right},
               {"hidden", Right},
               {"outcome"},
               {"intent"}});
  for (const store::CandidateSummary& each : summaries) {
    const std::optional<store::Judgement>& judgement = each.judgement;
    table.add({shown_id(each.id), shown_id(each.parent), std::to_string(each.island), std::to_string(each.generation),
               each.proposer, campaign::time_text(judgement ? judgement->time_us : std::nullopt),
               campaign::speedup_text(campaign::speedup(overview, judgement)),
               share_text(judgement ? judgement->hidden : std::nullopt), outcome_of(each),
               shortened(each.failure.empty() ? each.intent : each.failure)});
  }
  table.write(out);
}

void write_summary_json(JsonWriter& json, const store::Overview& overview, const store::CandidateSummary& each) {
  json.begin_object().field("id", each.id).field("parent", each.parent).field("island", each.island);
  json.field("generation", each.generation).field("proposer", each.proposer).field("intent", each.intent);
  json.field("plan", each.plan).field("outcome", outcome_of(each));
  bool judged = each.judgement.has_value();
  json.field("passed", judged && each.judgement->passed);
  campaign::write_optional(json, "time_us", judged ? each.judgement->time_us : std::nullopt);
  campaign::write_optional(json, "hidden", judged ? each.judgement->hidden : std::nullopt);
  campaign::write_optional(json, "speedup", campaign::speedup(overview, each.judgement));
  json.end_object();
}

std::string summaries_json(const store::Overview& overview, const std::vector<store::CandidateSummary>& summaries) {
  JsonWriter json;
  json.begin_array();
  for (const store::CandidateSummary& each : summaries) write_summary_json(json, overview, each);
  json.end_array();
  return json.take();
}

Status show_run(const fs::path& folder, const store::Store& store, const ShowRequest& request, Context& context) {
  Result<store::Campaign> campaign = store.campaign();
  if (!campaign) return campaign.error();
  Result<store::Overview> overview = store.overview();
  if (!overview) return overview.error();
  Result<std::vector<store::CandidateSummary>> summaries = store.summaries();
  if (!summaries) return summaries.error();
  if (request.json) {
    context.out << summaries_json(*overview, *summaries);
    return Done{};
  }
  Result<std::string> reasons = reasons_text(store, *campaign, *overview);
  if (!reasons) return reasons.error();
  write_head(context.out, folder, *campaign, *overview);
  context.out << *reasons;
  if (summaries->empty()) return Done{};
  context.out << "\n";
  write_table(context.out, *overview, *summaries);
  return Done{};
}

void write_block(std::ostream& out, const std::string& title, const std::string& text) {
  if (trim(text).empty()) return;
  out << title << "\n";
  for (const std::string& line : split(trim(text), '\n')) out << (line.empty() ? "" : "  ") << line << "\n";
}

void write_origin(std::ostream& out, const store::Candidate& candidate) {
  out << "candidate #" << candidate.id << " by " << candidate.proposer << ", island " << candidate.island
      << ", generation " << candidate.generation << "\n";
  if (candidate.parent != store::kNoId) out << "parent #" << candidate.parent;
  if (candidate.other_parent != store::kNoId) out << " and #" << candidate.other_parent;
  if (candidate.parent != store::kNoId) out << "\n";
  std::vector<std::string> sources;
  for (store::Id source : candidate.inspirations) sources.push_back(shown_id(source));
  if (!sources.empty()) out << "inspired by " << join(sources, ", ") << "\n";
  if (!candidate.prompt.empty()) out << "prompt " << candidate.prompt << ", reply " << candidate.reply << "\n";
  if (candidate.cost_usd > 0) out << "cost $" << candidate.cost_usd << "\n";
}

std::string verdict_text(const store::Judgement& judgement) {
  return evaluate::to_text(evaluate::verdict_from_json(judgement.verdict));
}

void write_candidate_text(std::ostream& out, const store::Candidate& candidate,
                          const std::vector<store::Judgement>& judgements) {
  write_origin(out, candidate);
  write_block(out, "\nintent", candidate.intent);
  write_block(out, "\nno program", candidate.failure);
  write_block(out, "\nplan", candidate.plan);
  if (candidate.inferred_plan != candidate.plan)
    write_block(out, "\nplan inferred from the text", candidate.inferred_plan);
  for (const store::Judgement& judgement : judgements)
    write_block(out, concat("\nverdict, ", judgement.depth == "full" ? "closer look" : judgement.depth),
                verdict_text(judgement));
  std::string files;
  for (const SourceFile& file : candidate.files)
    files += concat(file.name, ", ", counted(split(trim(file.text), '\n').size(), "line"), "\n");
  write_block(out, "\nfiles", files);
}

// One file alone is what it is, fit to be redirected; several are told apart.
void write_files(std::ostream& out, const std::vector<SourceFile>& files) {
  for (const SourceFile& file : files) {
    if (files.size() > 1) out << "==> " << file.name << " <==\n";
    out << file.text;
  }
}

Status show_candidate(const store::Store& store, const ShowRequest& request, Context& context) {
  Result<store::Id> id = campaign::find_candidate(store, request.id);
  if (!id) return id.error();
  Result<store::Candidate> candidate = store.candidate(*id);
  if (!candidate) return candidate.error();
  Result<std::vector<store::Judgement>> judgements = store.judgements(*id);
  if (!judgements) return judgements.error();
  if (request.json) {
    JsonWriter json;
    write_candidate(json, *candidate, *judgements, request.text ? FileText::Include : FileText::Omit);
    context.out << json.take();
  } else if (!request.text) {
    write_candidate_text(context.out, *candidate, *judgements);
  } else if (candidate->files.empty()) {
    return Error{concat("candidate #", *id, " has no files: ", candidate->failure)};
  } else {
    write_files(context.out, candidate->files);
  }
  return Done{};
}

Status show(const ShowRequest& request, Context& context) {
  Result<fs::path> folder = campaign::find_run(request.run);
  if (!folder) return folder.error();
  if (request.text && request.id.empty())
    return Error{"cuco show: error: --text needs the ID of a candidate (see 'cuco show --help')"};
  Result<store::Store> store = store::Store::open_read_only(store::store_file_of(*folder));
  if (!store) return store.error();
  return request.id.empty() ? show_run(*folder, *store, request, context) : show_candidate(*store, request, context);
}

}  // namespace

void add_show(CLI::App& app, Action& chosen) {
  auto request = std::make_shared<ShowRequest>();
  CLI::App* command = app.add_subcommand("show", "Show a run's candidates, or one with its plan, verdict and files");
  add_run_option(*command, request->run);
  command->add_option("ID", request->id, "A candidate: its number, 'best' or 'baseline'; all of them unless given");
  command->add_flag("--text", request->text, "Print the candidate's files and nothing else; with --json, also them");
  command->add_flag("--json", request->json, "Print it as JSON");
  command->footer(R"(Examples:
  cuco show runs/mine                        everything that was tried
  cuco show mine best                        the best one: plan, intent, verdict
  cuco show mine 23 --text > candidate.cu    its text
  cuco show mine 23 --json --text)");
  command->callback([request, &chosen] { chosen = [request](Context& context) { return show(*request, context); }; });
}

}  // namespace cuco::cli
