// The search: islands of candidates, each turn a batch of proposals that are evaluated side by side and committed as
// one step. Everything that decides what happens next is in the steps, so a run that is resumed goes on as if it had
// never stopped.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "evolve/evaluator.h"
#include "evolve/lesson_writer.h"
#include "evolve/proposer.h"
#include "evolve/selection.h"
#include "store/store.h"

namespace cuco::evolve {

struct SearchOptions {
  uint64_t seed = 1;
  uint32_t budget_evaluations = 40;  // Screenings, baseline and fast path included.
  uint32_t batch = 2;                // Proposals of one turn, evaluated side by side.
  uint32_t islands = 2;
  Selection selection = Selection::PowerLaw;           // Won in bench/ablation; see docs/ablation.md.
  double selection_pressure = 3;                       // Lambda of the weighted selection.
  double explore_share = 0.4;                          // Of the budget.
  uint32_t migration_interval = 8;                     // Generations; 0: never.
  std::vector<std::vector<uint32_t>> migration_graph;  // To which islands the best of each is copied; empty: a ring.
  uint32_t lesson_interval = 8;                        // Evaluations; 0: never.
  uint32_t archive_capacity = 60;
  uint32_t archive_inspirations = 3, top_inspirations = 3;
  uint32_t shown_failures = 3;
  uint32_t plateau = 24;       // Evaluations without a better one that end the search; 0: never.
  double bound_share = 0.98;   // Of the speed of light that ends it.
  uint32_t finalists = 3;      // Looked at closely, best first, until one passes.
  double novelty_max = 0.995;  // Texts more alike than this are not evaluated.
  bool archive = true;         // The ablation turns these off one by one.
  bool two_phase = true;
  bool learned_order = true;  // For whoever makes the rules proposer.

  bool operator==(const SearchOptions&) const = default;
};

// Which value no search can work with, in one sentence.
Status check(const SearchOptions& options);

std::string to_json(const SearchOptions& options);
// Keys that are missing keep their default; the rest is checked.
Result<SearchOptions> search_options_from_json(const std::string& text);

// One per island and more; the bandit chooses among those of an island.
struct ProposerChoice {
  std::unique_ptr<Proposer> proposer;
  std::vector<uint32_t> islands;  // Empty: all.
};

// What somebody who watches may want to show.
struct Progress {
  uint32_t evaluations = 0, budget = 0, generation = 0, rejected = 0;
  const Member* baseline = nullptr;
  const Member* best = nullptr;      // So far; null before the baseline is in.
  std::vector<std::string> current;  // What is being evaluated, one line each; empty between turns.
  double cost_usd = 0;
};
using OnProgress = std::function<void(const Progress&)>;

struct Outcome {
  store::Id baseline = store::kNoId;   // The fastest one: gains are claimed against it.
  store::Id fast_path = store::kNoId;  // The fastest of the first programs.
  // Passed the closer look; the baseline when nothing faster did. Of a search that is not finished: only screened.
  store::Id best = store::kNoId;
  bool finished = false;  // False: interrupted, to be resumed.
  uint32_t evaluations = 0, rejected = 0;
  uint32_t untimed = 0;     // Verified, but not promising enough for a GPU.
  std::string stop_reason;  // One sentence.
};

// What else candidates are measured against, with the program's communication as it is.
struct FurtherBaseline {
  store::Candidate candidate;
  bool changes_compute = false;  // The time that it needs without its communication is a bound of its own.
};
// Given the times of the baselines so far, the program as it is first, which to try next; none: it is enough.
using NextBaselines = std::function<std::vector<FurtherBaseline>(const std::vector<std::optional<double>>& us)>;

struct SearchInput {
  SearchOptions options;
  store::Candidate baseline;
  NextBaselines next_baselines;         // May be empty.
  std::vector<store::Candidate> first;  // The fast path's programs; may be empty.
  std::vector<ProposerChoice> proposers;
  Evaluator* evaluator = nullptr;
  LessonWriter* lesson_writer = nullptr;  // Statistics when null or when it fails.
  store::Store* store = nullptr;  // Empty, or that of a run that was stopped: then it goes on behind its last step.
  OnProgress progress;
  std::function<bool()> interrupted;  // Asked between turns.
  // Asked before a turn is begun as the given step: why there is no time for another. A search that is done again must
  // get the same answers.
  std::function<std::optional<std::string>(uint64_t step)> out_of_time;
};

// An error of the evaluator or the store ends it; what was committed stays.
Result<Outcome> search(SearchInput& input);

}  // namespace cuco::evolve
