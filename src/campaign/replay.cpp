#include "campaign/replay.h"

#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "campaign/found_run.h"
#include "campaign/run.h"
#include "campaign/step_difference.h"

namespace cuco::campaign {

namespace fs = std::filesystem;

namespace {

struct Replayed {
  store::Store store;
  std::optional<Error> stopped;  // What the log could not answer, when the run got further.
};

// The run again, in a database of its own, up to `step_count` steps; all that the log allows without a number.
Result<Replayed> replayed(const CampaignRun& run, store::Log& log, const fs::path& file,
                          std::optional<uint64_t> step_count, Context& context) {
  Result<store::Store> store = store::Store::create(file, evolve::campaign_of(run.setting));
  if (!store) return store.error();
  auto last_step = [&] { return store->last_step() ? *store->last_step() : 0; };
  auto reached = [&] { return step_count && last_step() >= *step_count; };
  ProgressDisplay display(context.err, ShownAs::Nothing);
  Result<evolve::Outcome> outcome = search_run(run, {*store, log, Source::LogAlone, reached}, display, context);
  // Of a run that was stopped the log ends somewhere, which is no fault.
  bool is_fault = !outcome && (step_count ? !reached() : last_step() == 0);
  return Replayed{*std::move(store), is_fault ? std::optional(outcome.error()) : std::nullopt};
}

Status rebuild(const CampaignRun& run, store::Log& log, const fs::path& path, const fs::path& scratch,
               Context& context) {
  Result<Replayed> again = replayed(run, log, scratch / "again.sqlite", std::nullopt, context);
  if (!again) return again.error();
  if (again->stopped) return *again->stopped;
  if (Status written = again->store.write_canonical(store::store_file_of(path)); !written) return written;
  context.out << path.string() << ": campaign.sqlite was lost; made again from the log, "
              << counted(*again->store.last_step(), "step") << "\n";
  return Done{};
}

Result<bool> equal_files(const store::Store& a, const store::Store& b, const fs::path& scratch) {
  if (Status written = a.write_canonical(scratch / "a.sqlite"); !written) return written.error();
  if (Status written = b.write_canonical(scratch / "b.sqlite"); !written) return written.error();
  Result<std::string> first = read_file(scratch / "a.sqlite", UINTMAX_MAX);
  Result<std::string> second = read_file(scratch / "b.sqlite", UINTMAX_MAX);
  if (!first || !second) return (first ? second : first).error();
  return *first == *second;
}

Status compare(const CampaignRun& run, store::Log& log, const fs::path& path, const fs::path& scratch,
               Context& context) {
  Result<store::Store> before = store::Store::open_read_only(store::store_file_of(path));
  if (!before) return before.error();
  Result<uint64_t> step_count = before->last_step();
  if (!step_count) return step_count.error();
  Result<Replayed> again = replayed(run, log, scratch / "again.sqlite", *step_count, context);
  if (!again) return again.error();
  Result<bool> equal = equal_files(*before, again->store, scratch);
  if (!equal) return equal.error();
  if (*equal) {
    context.out << path.string() << ": equal, byte for byte, " << counted(*step_count, "step") << "\n";
    return Done{};
  }
  context.exit_code = kProgramFailed;
  Result<std::vector<store::Step>> first = before->steps(), second = again->store.steps();
  if (!first || !second) return (first ? second : first).error();
  context.out << path.string() << ": differs: " << first_difference(*first, *second) << "\n";
  if (again->stopped) context.out << "it stopped there: " << again->stopped->message << "\n";
  return Done{};
}

}  // namespace

Status replay(const std::string& given, Context& context) {
  Result<fs::path> found = find_run_or_log(given);
  if (!found) return found.error();
  const fs::path& path = *found;
  Result<store::RunFolder> folder = store::RunFolder::open_for_rebuild(path, concat("cuco replay ", path.string()));
  if (!folder) return folder.error();
  Result<evolve::CampaignSetting> setting = evolve::load_campaign(path);
  if (!setting) return setting.error();
  Result<CampaignRun> run = prepare_run(*std::move(setting), {}, context);
  if (!run) return run.error();
  Result<store::Log> log = store::Log::open_read_only(folder->log_file());
  if (!log) return log.error();
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-replay");
  if (!scratch) return scratch.error();
  return store::is_run(path) ? compare(*run, *log, path, scratch->path(), context)
                             : rebuild(*run, *log, path, scratch->path(), context);
}

}  // namespace cuco::campaign
