// The course of a search, step by step, apart from where the steps are kept: whoever drives it commits each step and
// adds it, and a course that was given the steps of an earlier one goes on where that one stood.
#pragma once

#include <optional>

#include "evolve/ledger.h"
#include "evolve/search.h"
#include "evolve/turn.h"

namespace cuco::evolve {

class Course {
 public:
  explicit Course(SearchInput& input);

  // Before the first call of `next`: the steps of the run so far.
  Status restore(const std::vector<store::Step>& steps);

  // The next step with its verdicts, not yet added. Nothing: the search is over.
  Result<std::optional<store::Step>> next();
  void add(const store::Step& step);

  Outcome outcome() const;
  const Ledger& ledger() const { return ledger_; }

 private:
  Result<store::Step> make_step();
  bool is_better_fast_path(const Member& member, store::Id so_far) const;
  std::string state() const;
  Status restore_state(const std::string& text);

  SearchInput& input_;
  Ledger ledger_;
  Means means_;
};

}  // namespace cuco::evolve
