// What a run remembers, as plain data. Texts of plans and verdicts are kept in their own forms, so that the store needs
// to know neither rewriting nor evaluation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/source_file.h"

namespace cuco::store {

using Id = int64_t;
inline constexpr Id kNoId = 0;

// A program text that was proposed, with where it came from.
struct Candidate {
  Id id = kNoId;  // From 1, in the order of proposals. 1 is the baseline.
  Id parent = kNoId, other_parent = kNoId;
  std::vector<Id> inspirations;
  uint32_t island = 0, generation = 0;
  std::string proposer;  // "baseline", "fast-path", "rules", or the spec of a model.
  std::string intent;    // One sentence.
  std::string plan;      // space::to_text; empty when none was stated.
  std::string inferred_plan;
  std::vector<SourceFile> files;  // Empty when a proposer failed to give a program.
  std::string failure;            // Why there is none.
  std::string prompt, reply;      // Keys of the log; empty for rules.
  double cost_usd = 0;

  bool operator==(const Candidate&) const = default;
};

// What was found out about a candidate. A candidate may have several: a screening and a closer look.
struct Judgement {
  Id candidate = kNoId;
  std::string depth;  // "screen" or "full".
  std::string level;  // evaluate::to_text(Level) of what was reached.
  bool passed = false;
  std::optional<double> time_us;
  std::optional<double> bound_us;
  std::optional<double> hidden;  // Share of the hideable communication.
  double score = 0;              // What selection goes by; 0 for what did not pass.
  uint32_t schedules = 0;
  std::string verdict;  // JSON.

  bool operator==(const Judgement&) const = default;
};

struct Event {
  std::string kind;  // "best", "migration", "lesson", "stop" (no more turns), "end" (nothing follows), ...
  std::string text;  // For people: one sentence.
  double cost_usd = 0;

  bool operator==(const Event&) const = default;
};

struct Lesson {
  std::string author;  // "statistics" or the spec of a model.
  std::string text;

  bool operator==(const Lesson&) const = default;
};

// Everything that one turn of the search adds. Committed whole or not at all.
struct Step {
  uint64_t number = 0;  // From 1.
  std::vector<Candidate> candidates;
  std::vector<Judgement> judgements;
  std::vector<Event> events;
  std::vector<Lesson> lessons;
  std::string state;  // Of the search after this step, as its own text: random generators, bandit, islands.

  bool operator==(const Step&) const = default;
};

// What a run was asked for; all that is needed to begin it again.
struct Campaign {
  std::string name;           // Of the workload or program.
  std::string configuration;  // Of the workload; empty for a program.
  std::string command;        // That repeats the run.
  std::string options;        // JSON: everything that decides what the search does, and the seed.

  bool operator==(const Campaign&) const = default;
};

}  // namespace cuco::store
