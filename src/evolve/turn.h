// One step of the search: lessons when they are due, a batch of proposals, their verdicts.
#pragma once

#include <set>

#include "evolve/ledger.h"
#include "evolve/lessons.h"
#include "evolve/search.h"

namespace cuco::evolve {

// What turns share beside the ledger.
struct Means {
  Random random;
  std::set<size_t> silenced;      // Proposers that cannot go on, as indices.
  StatisticalLessons statistics;  // Follows from the members.
};

class Turn {
 public:
  Turn(Ledger& ledger, SearchInput& input, Means& means) : ledger_(ledger), input_(input), means_(means) {}

  // Baseline and fast path. An error when the baseline does not pass: there is nothing to improve.
  Result<store::Step> first();
  Result<store::Step> next();
  // The best of those that were not looked at yet, and the end of the run when it passes or is the last.
  Result<store::Step> closer_look();

 private:
  void write_lessons();
  void propose_all();
  std::optional<std::pair<Proposal, size_t>> ask(uint32_t island, const Assignment& assignment);
  std::optional<std::pair<Proposal, size_t>> ask_one(size_t index, const Assignment& assignment);
  // Who is to repair what the assignment then holds; nobody: nothing is due.
  std::optional<size_t> assign_repair(Assignment& assignment) const;
  std::vector<size_t> askable(uint32_t island) const;
  Assignment assignment_for(uint32_t island) const;
  void choose_members(uint32_t island, Assignment& assignment) const;
  void accept(Proposal proposal, const Proposer& proposer, const Assignment& assignment);
  Status evaluate_baselines();
  Status evaluate_all();
  Status evaluate_these(const std::vector<Task>& tasks);
  Result<std::vector<evaluate::Verdict>> evaluate(const std::vector<Task>& tasks);
  Task task_for(const store::Candidate& candidate, Depth depth) const;
  std::optional<Against> against() const;
  std::optional<double> best_us() const;
  void announce_best(const store::Judgement& judgement);
  void end_with(const Member* best);
  std::vector<const Member*> finalists() const;
  store::Step empty_step() const;

  Ledger& ledger_;
  SearchInput& input_;
  Means& means_;
  store::Step step_;
  std::optional<Against> first_against_;  // While the ledger has no baseline yet.
  std::string silence_;                   // Why the last proposer fell silent.
  double best_score_ = 0;
};

// For whoever watches; `current` are the candidates under evaluation.
void report_progress(const SearchInput& input, const Ledger& ledger, const std::vector<std::string>& current);

}  // namespace cuco::evolve
