// The database of one run: SQLite in WAL mode, a transaction a step. The schema is in schema.cpp with its migrations.
//
// A run is a folder:
//   campaign.sqlite  this
//   log.jsonl        what was paid for, see log.h
//   lock             held while a process works on the run, see run_folder.h
//   best/, report.html, ...  what the run leaves for people
//
// One process writes; others may read meanwhile, each call at one moment between steps. Steps survive any death of the
// process. When the machine dies the last ones may be missing, never halves: the log has what they cost. An object is
// used by one thread at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "store/records.h"

namespace cuco::store {

struct CandidateSummary {
  Id id = kNoId, parent = kNoId, other_parent = kNoId;
  uint32_t island = 0, generation = 0;
  double cost_usd = 0;
  std::string proposer, intent, plan;
  std::string failure;
  std::optional<Judgement>
      judgement;  // The closest look, without its verdict's text: "full" before others, then the last.
};

// A run at a glance.
struct Overview {
  uint64_t steps = 0;
  Id candidates = 0;                       // Ids are 1 to this.
  uint64_t evaluations = 0, rejected = 0;  // Candidates that were judged, and those of them that did not pass.
  double cost_usd = 0;
  bool finished = false;                   // There is an "end" event: nothing follows.
  std::optional<std::string> stop_reason;  // The text of the last "stop" event: only closer looks follow.
  // None before one passed. Of a finished run only what passed a closer look counts, and the baseline.
  std::optional<CandidateSummary> baseline, best;
};

class Store {
 public:
  // Fails when there is one already.
  static Result<Store> create(const std::filesystem::path& file, const Campaign& campaign);
  // A store of a later version, or a damaged one, is an error that says so and changes nothing.
  static Result<Store> open(const std::filesystem::path& file);
  static Result<Store> open_read_only(const std::filesystem::path& file);

  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  // Step numbers have no gaps. An error (a full disk) leaves the store as it was before the step.
  Status commit(const Step& step);

  Result<Campaign> campaign() const;
  Result<uint64_t> last_step() const;       // 0: none yet.
  Result<std::string> state() const;        // Of the last step.
  Result<std::vector<Step>> steps() const;  // All of them, as they were committed.
  Result<std::vector<CandidateSummary>> summaries() const;
  Result<Overview> overview() const;
  // An id that is not there is an error that says which are.
  Result<Candidate> candidate(Id id) const;
  Result<std::vector<Judgement>> judgements(Id id) const;  // In the order they were made.
  Result<std::vector<Event>> events() const;
  Result<std::vector<Lesson>> lessons() const;

  // A copy whose bytes depend on nothing but the content: equal runs give equal files.
  Status write_canonical(const std::filesystem::path& file) const;

 private:
  struct Connection;
  explicit Store(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace cuco::store
