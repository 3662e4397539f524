#include "campaign/found_run.h"

#include <charconv>

#include "base/number_text.h"
#include "base/text.h"
#include "store/run_folder.h"

namespace cuco::campaign {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRunsFolder = "runs";

Error no_such_run(const std::string& given) {
  std::vector<std::string> names;
  for (const fs::path& run : store::list_runs(kRunsFolder)) names.push_back(run.filename().string());
  std::string meant = closest(given, names);
  std::string hint = !meant.empty()  ? concat("; did you mean '", meant, "'?")
                     : names.empty() ? "; there are no runs in ./runs"
                                     : concat("; in ./runs there are: ", join(names, ", "));
  return Error{concat(given, ": no such run", hint)};
}

Result<store::Id> best_of(const store::Store& store) {
  Result<store::Overview> overview = store.overview();
  if (!overview) return overview.error();
  if (!overview->best) return Error{"no candidate of the run has passed, so there is no best"};
  return overview->best->id;
}

}  // namespace

Result<fs::path> find_run(const std::string& given) {
  for (const fs::path& folder : {fs::path(given), fs::path(kRunsFolder) / given})
    if (!given.empty() && store::is_run(folder)) return folder;
  return no_such_run(given);
}

Result<store::Store> open_run(const std::string& given) {
  Result<fs::path> folder = find_run(given);
  if (!folder) return folder.error();
  return store::Store::open_read_only(store::store_file_of(*folder));
}

Result<store::Id> find_candidate(const store::Store& store, const std::string& given) {
  if (given == "best") return best_of(store);
  if (given == "baseline") return store::Id{1};
  std::string_view digits = given;
  if (digits.starts_with('#')) digits.remove_prefix(1);
  store::Id id = store::kNoId;
  auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  bool number = failure == std::errc() && end == digits.data() + digits.size();
  Result<store::Overview> overview = store.overview();
  if (!overview) return overview.error();
  if (number && id >= 1 && id <= overview->candidates) return id;
  std::string there = overview->candidates == 0
                          ? "the run has none yet"
                          : concat("the run has 1 to ", overview->candidates, ", baseline and best");
  return Error{concat("no candidate '", given, "': ", there)};
}

RunState state_of(const fs::path& folder, const store::Overview& overview) {
  if (overview.finished) return RunState::Finished;
  return store::lock_holder(folder) ? RunState::Running : RunState::Stopped;
}

const char* to_text(RunState state) {
  switch (state) {
    case RunState::Running:
      return "running";
    case RunState::Stopped:
      return "stopped";
    case RunState::Finished:
      return "finished";
  }
  return "";
}

std::string time_text(const std::optional<double>& time_us) { return time_us ? duration(*time_us) : "-"; }

std::optional<double> speedup(const store::Overview& overview, const std::optional<store::Judgement>& judgement) {
  if (!overview.baseline || !judgement || !judgement->passed) return std::nullopt;
  const std::optional<double>& before = overview.baseline->judgement->time_us;
  if (!before || !judgement->time_us || *judgement->time_us <= 0) return std::nullopt;
  return *before / *judgement->time_us;
}

std::string speedup_text(const std::optional<double>& ratio) { return ratio ? factor(*ratio) : "-"; }

void write_optional(JsonWriter& json, const char* name, const std::optional<double>& value) {
  json.key(name);
  if (value)
    json.value(*value);
  else
    json.null();
}

}  // namespace cuco::campaign
