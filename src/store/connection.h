// What a Store hides: its database, and how rows become records. Shared by the files that implement it.
#pragma once

#include "store/database.h"
#include "store/store.h"

namespace cuco::store {

inline constexpr const char* kCandidateColumns =
    "id, step, coalesce(parent, 0), coalesce(other_parent, 0), island, generation, proposer, cost_usd, intent, plan, "
    "inferred_plan, prompt, reply, failure";
inline constexpr const char* kJudgementColumns =
    "step, candidate, depth, level, passed, time_us, bound_us, hidden, score, schedules, verdict";

struct Store::Connection {
  Database database;
  bool writable = false;
};

// Of a row of kCandidateColumns; inspirations and files lie in other tables.
Candidate candidate_of(const Query& row);
// Of a row whose columns from `first` on are those of kJudgementColumns behind the step.
Judgement judgement_of(const Query& row, int first);

}  // namespace cuco::store
