// cuco runs: the runs in a folder, what they found and whether somebody is at work on them.
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "base/table.h"
#include "base/text.h"
#include "campaign/found_run.h"
#include "cli/command.h"
#include "store/run_folder.h"

namespace cuco::cli {

namespace fs = std::filesystem;

namespace {

struct RunsRequest {
  std::string folder = "runs";
  bool json = false;
};

struct RunRow {
  std::string name;
  store::Campaign campaign;
  store::Overview overview;
  campaign::RunState state = campaign::RunState::Stopped;
  int64_t age_s = 0;  // Since something was last written.
};

int64_t age_of(const fs::path& store_file) {
  fs::path wal = store_file;
  wal += "-wal";
  std::error_code missing;
  fs::file_time_type written = fs::last_write_time(store_file, missing);
  if (fs::file_time_type later = fs::last_write_time(wal, missing); !missing) written = std::max(written, later);
  auto age = fs::file_time_type::clock::now() - written;
  return std::max<int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(age).count());
}

std::string age_text(int64_t seconds) {
  if (seconds < 120) return concat(seconds, " s");
  if (seconds < 120 * 60) return concat(seconds / 60, " min");
  if (seconds < 48 * 3600) return concat(seconds / 3600, " h");
  return concat(seconds / 86400, " days");
}

Result<RunRow> read_run(const fs::path& folder) {
  Result<store::Store> store = store::Store::open_read_only(store::store_file_of(folder));
  if (!store) return store.error();
  Result<store::Campaign> campaign = store->campaign();
  if (!campaign) return campaign.error();
  Result<store::Overview> overview = store->overview();
  if (!overview) return overview.error();
  std::string name = fs::absolute(folder).lexically_normal().filename().string();
  campaign::RunState state = campaign::state_of(folder, *overview);
  return RunRow{name, *std::move(campaign), *std::move(overview), state, age_of(store::store_file_of(folder))};
}

std::optional<store::Judgement> best_judgement(const RunRow& row) {
  return row.overview.best ? row.overview.best->judgement : std::nullopt;
}

std::optional<double> best_time(const RunRow& row) {
  return row.overview.best ? row.overview.best->judgement->time_us : std::nullopt;
}

void write_text(std::ostream& out, const std::vector<RunRow>& rows) {
  using enum Table::Align;
  Table table({{"run"},
               {"program"},
               {"configuration"},
               {"evaluations", Right},
               {"best", Right},
               {"time", Right},
               {"speed-up", Right},
               {"state"},
               {"age", Right}});
  for (const RunRow& row : rows)
    table.add({row.name, row.campaign.name, row.campaign.configuration.empty() ? "-" : row.campaign.configuration,
               std::to_string(row.overview.evaluations), row.overview.best ? concat("#", row.overview.best->id) : "-",
               campaign::time_text(best_time(row)),
               campaign::speedup_text(campaign::speedup(row.overview, best_judgement(row))), to_text(row.state),
               age_text(row.age_s)});
  table.write(out);
}

void write_row(JsonWriter& json, const RunRow& row) {
  json.begin_object().field("run", row.name).field("program", row.campaign.name);
  json.field("configuration", row.campaign.configuration).field("command", row.campaign.command);
  json.field("candidates", row.overview.candidates).field("evaluations", row.overview.evaluations);
  json.field("rejected", row.overview.rejected).field("cost_usd", row.overview.cost_usd);
  json.key("best");
  if (row.overview.best)
    json.value(row.overview.best->id);
  else
    json.null();
  campaign::write_optional(json, "time_us", best_time(row));
  campaign::write_optional(json, "speedup", campaign::speedup(row.overview, best_judgement(row)));
  json.field("state", to_text(row.state)).field("age_s", row.age_s).end_object();
}

std::string rows_json(const std::vector<RunRow>& rows) {
  JsonWriter json;
  json.begin_array();
  for (const RunRow& row : rows) write_row(json, row);
  json.end_array();
  return json.take();
}

Result<std::vector<fs::path>> folders_of(const std::string& given) {
  if (store::is_run(given)) return std::vector<fs::path>{given};
  std::vector<fs::path> folders = store::list_runs(given);
  std::error_code ignored;
  if (folders.empty())
    return Error{concat(given, fs::is_directory(given, ignored) ? ": holds no runs" : ": no such folder",
                        "; 'cuco optimize' makes one")};
  return folders;
}

// A run that cannot be read does not hide the others.
Status show_runs(const RunsRequest& request, Context& context) {
  Result<std::vector<fs::path>> folders = folders_of(request.folder);
  if (!folders) return folders.error();
  std::vector<RunRow> rows;
  Status last = Done{};
  for (const fs::path& folder : *folders) {
    Result<RunRow> row = read_run(folder);
    if (row) rows.push_back(*std::move(row));
    if (!row && !last) context.err << last.error().message << "\n";
    if (!row) last = row.error();
  }
  if (request.json)
    context.out << rows_json(rows);
  else if (!rows.empty())
    write_text(context.out, rows);
  return last;
}

}  // namespace

void add_runs(CLI::App& app, Action& chosen) {
  auto request = std::make_shared<RunsRequest>();
  CLI::App* command = app.add_subcommand("runs", "List runs of the search, what they found, and which are at work");
  command->add_option("DIR", request->folder, "Folder with run folders, or one of them; ./runs unless given");
  command->add_flag("--json", request->json, "Print it as JSON");
  command->footer(R"(A run is running while a process works on it, finished when its search has ended, else stopped:
'cuco resume' goes on with it. The age counts from the last thing written.

Examples:
  cuco runs
  cuco runs /data/runs --json)");
  command->callback(
      [request, &chosen] { chosen = [request](Context& context) { return show_runs(*request, context); }; });
}

}  // namespace cuco::cli
