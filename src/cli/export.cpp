// cuco export: all that a run remembers, for other tools.
#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "base/text.h"
#include "campaign/found_run.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/run_json.h"

namespace cuco::cli {

namespace {

struct ExportRequest {
  std::string run;
  bool csv = false, json = false, text = false;
};

// As RFC 4180 has it.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return concat('"', replace_all(text, "\"", "\"\""), '"');
}

std::string number_text(double number) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

std::string number_text(const std::optional<double>& number) { return number ? number_text(*number) : ""; }

std::string id_text(store::Id id) { return id == store::kNoId ? "" : std::to_string(id); }

std::vector<std::string> judgement_cells(const store::Overview& overview, const store::CandidateSummary& each) {
  if (!each.judgement) return std::vector<std::string>(9);
  const store::Judgement& judgement = *each.judgement;
  return {judgement.depth,
          judgement.level,
          judgement.passed ? "1" : "0",
          number_text(judgement.time_us),
          number_text(judgement.bound_us),
          number_text(judgement.hidden),
          number_text(campaign::speedup(overview, each.judgement)),
          number_text(judgement.score),
          std::to_string(judgement.schedules)};
}

std::vector<std::string> csv_cells(const store::Overview& overview, const store::CandidateSummary& each) {
  std::vector<std::string> cells = {
      std::to_string(each.id),         id_text(each.parent), id_text(each.other_parent), std::to_string(each.island),
      std::to_string(each.generation), each.proposer,        number_text(each.cost_usd)};
  for (std::string& cell : judgement_cells(overview, each)) cells.push_back(std::move(cell));
  for (const std::string& text : {each.plan, each.intent, each.failure}) cells.push_back(text);
  for (std::string& cell : cells) cell = csv_cell(cell);
  return cells;
}

Status write_csv(const store::Store& store, std::ostream& out) {
  Result<store::Overview> overview = store.overview();
  if (!overview) return overview.error();
  Result<std::vector<store::CandidateSummary>> summaries = store.summaries();
  if (!summaries) return summaries.error();
  out << "id,parent,other_parent,island,generation,proposer,cost_usd,depth,level,passed,time_us,bound_us,hidden,"
         "speedup,score,schedules,plan,intent,failure\n";
  for (const store::CandidateSummary& each : *summaries) out << join(csv_cells(*overview, each), ",") << "\n";
  return Done{};
}

void write_campaign(JsonWriter& json, const store::Campaign& campaign) {
  json.key("campaign").begin_object().field("program", campaign.name);
  json.field("configuration", campaign.configuration).field("command", campaign.command);
  json.field("options", campaign.options).end_object();
}

Status write_candidates(JsonWriter& json, const store::Store& store, store::Id last, FileText text) {
  json.key("candidates").begin_array();
  for (store::Id id = 1; id <= last; ++id) {
    Result<store::Candidate> candidate = store.candidate(id);
    if (!candidate) return candidate.error();
    Result<std::vector<store::Judgement>> judgements = store.judgements(id);
    if (!judgements) return judgements.error();
    write_candidate(json, *candidate, *judgements, text);
  }
  json.end_array();
  return Done{};
}

Status write_notes(JsonWriter& json, const store::Store& store) {
  Result<std::vector<store::Event>> events = store.events();
  if (!events) return events.error();
  Result<std::vector<store::Lesson>> lessons = store.lessons();
  if (!lessons) return lessons.error();
  json.key("events").begin_array();
  for (const store::Event& event : *events)
    json.begin_object().field("kind", event.kind).field("text", event.text).end_object();
  json.end_array().key("lessons").begin_array();
  for (const store::Lesson& lesson : *lessons)
    json.begin_object().field("author", lesson.author).field("text", lesson.text).end_object();
  json.end_array();
  return Done{};
}

Status write_json(const store::Store& store, FileText text, std::ostream& out) {
  Result<store::Campaign> campaign = store.campaign();
  if (!campaign) return campaign.error();
  Result<store::Overview> overview = store.overview();
  if (!overview) return overview.error();
  JsonWriter json;
  json.begin_object();
  write_campaign(json, *campaign);
  if (Status status = write_candidates(json, store, overview->candidates, text); !status) return status;
  if (Status status = write_notes(json, store); !status) return status;
  json.end_object();
  out << json.take();
  return Done{};
}

Status export_run(const ExportRequest& request, Context& context) {
  Result<store::Store> store = campaign::open_run(request.run);
  if (!store) return store.error();
  if (request.csv) return write_csv(*store, context.out);
  return write_json(*store, request.text ? FileText::Include : FileText::Omit, context.out);
}

}  // namespace

void add_export(CLI::App& app, Action& chosen) {
  auto request = std::make_shared<ExportRequest>();
  CLI::App* command = app.add_subcommand("export", "Write out a run's candidates and judgements, for other tools");
  add_run_option(*command, request->run);
  CLI::Option_group* form = command->add_option_group("form");
  CLI::Option* csv = form->add_flag("--csv", request->csv, "A row for each candidate, with its closest look");
  form->add_flag("--json", request->json, "Campaign, candidates with all verdicts, events and lessons");
  form->require_option(1);
  command->add_flag("--text", request->text, "Also the texts of files; JSON only")->excludes(csv);
  command->footer(R"(Examples:
  cuco export mine --csv > mine.csv
  cuco export runs/mine --json --text | jq '.candidates[0].files[0].name')");
  command->callback(
      [request, &chosen] { chosen = [request](Context& context) { return export_run(*request, context); }; });
}

}  // namespace cuco::cli
