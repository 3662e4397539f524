// Everything a search knows that follows from its steps. A running search and a resumed one both come to it by adding
// the same steps, so there is one way in and nothing that only a running one could know.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "evolve/bandit.h"
#include "evolve/novelty.h"
#include "evolve/population.h"
#include "evolve/search.h"
#include "evolve/stop_rules.h"
#include "store/records.h"

namespace cuco::evolve {

// Kinds of events that the search itself reads back.
inline constexpr const char* kStopEvent = "stop";  // No more turns; closer looks follow.
inline constexpr const char* kEndEvent = "end";    // Nothing follows.

class Ledger {
 public:
  explicit Ledger(const SearchOptions& options);

  void add(const store::Step& step);
  // Takes pending members out of the population; when their step is added they need not be read again.
  void set_aside_pending() { set_aside_ = population_.take_pending(); }

  const SearchOptions& options() const { return options_; }
  Population& population() { return population_; }
  const Population& population() const { return population_; }
  const std::vector<Member>& members() const { return population_.members(); }
  const Member& member(store::Id id) const { return members()[static_cast<size_t>(id) - 1]; }
  // The fastest of the baselines that passed: what gains are claimed against. There is a first one.
  const Member& baseline() const;
  Novelty& novelty() { return novelty_; }
  const Bandit& bandit() const { return bandit_; }

  uint64_t step_count() const { return step_count_; }
  uint32_t turn_count() const { return turn_count_; }
  uint32_t idle_turn_count() const { return idle_turn_count_; }  // At the end, without anything to evaluate.
  uint32_t evaluation_count() const { return evaluation_count_; }
  uint32_t rejected_count() const { return rejected_count_; }
  uint32_t untimed_count() const { return untimed_count_; }  // Right, but not promising enough for a GPU.
  double cost_usd() const { return cost_usd_; }

  Phase phase() const;
  bool is_late() const;
  bool lesson_is_due() const;
  const std::vector<store::Lesson>& lessons() const { return lessons_; }  // Those that stand.
  // What happened while the last step was added and belongs into the next one for people to read.
  const std::vector<store::Event>& announcements() const { return announcements_; }

  Standing standing() const;
  const std::string& stop_reason() const { return stop_reason_; }                  // Empty: it goes on.
  const std::map<store::Id, bool>& closer_looks() const { return closer_looks_; }  // Whether each passed.
  bool is_over() const { return is_over_; }

 private:
  Member read(const store::Candidate& candidate);
  void add_candidate(const store::Candidate& candidate, const store::Judgement* judgement);
  void add_closer_look(const store::Judgement& judgement);
  double score_before(store::Id parent) const;
  void count_evaluation(const Member& member);
  void read_events(const std::vector<store::Event>& events);
  void migrate_when_due();

  SearchOptions options_;
  Population population_;
  Novelty novelty_;
  Bandit bandit_;
  std::vector<Member> set_aside_;
  uint64_t step_count_ = 0;
  uint32_t turn_count_ = 0, idle_turn_count_ = 0, evaluation_count_ = 0, rejected_count_ = 0, untimed_count_ = 0;
  uint32_t since_better_ = 0, lesson_mark_ = 0;
  evaluate::Verdict best_verdict_;  // Of what kept the search going last; without a time: none yet.
  double cost_usd_ = 0;
  std::vector<store::Lesson> lessons_;
  std::vector<store::Event> announcements_;
  std::string stop_reason_;
  std::map<store::Id, bool> closer_looks_;
  bool is_over_ = false;
};

}  // namespace cuco::evolve
