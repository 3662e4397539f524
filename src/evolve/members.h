// Between what a run stores and what selection looks at. A member is always made from the stored form, in a running
// search as in a resumed one, so both see the same numbers.
#pragma once

#include <optional>

#include "evolve/evaluator.h"
#include "evolve/proposer.h"
#include "store/records.h"

namespace cuco::evolve {

// 10000 / (1 + milliseconds) for what passed and was timed, else 0.
double score_of(const evaluate::Verdict& verdict);

std::optional<double> time_us(const Member& member);

// Is this time better than that one? Times of the virtual clock are exact, and any difference counts; times of GPUs
// differ by chance, and only what both spreads do not explain does.
bool is_better(const evaluate::Verdict& verdict, const evaluate::Verdict& than);

// One of the baselines besides the program as it is. They are what candidates are measured against, so they come first
// and cost nothing of the budget.
bool is_further_baseline(const store::Candidate& candidate);

// Without a verdict yet.
Member member_of(const store::Candidate& candidate);
// The verdict and score of a screening; a closer look takes a member's score away when it fails.
void apply(const store::Judgement& judgement, Member& member);

store::Judgement judgement_of(store::Id candidate, Depth depth, const evaluate::Verdict& verdict);

inline constexpr const char* kBaseline = "baseline";  // Who proposed the program as it is, and NCCL at its best.
inline constexpr const char* kScreen = "screen";
inline constexpr const char* kFull = "full";

}  // namespace cuco::evolve
