// What a search is doing, for people who watch: a block of lines that is drawn again and again on a terminal, one plain
// line a turn elsewhere, and one for what begins when nothing was said for a while. All of it goes to standard error; results are not its business.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "evolve/search.h"

namespace cuco::campaign {

// "2 min 10 s", "41 s".
std::string seconds_text(double seconds);

enum class ShownAs : uint8_t { Nothing, Lines, Block };

class ProgressDisplay {
 public:
  ProgressDisplay(std::ostream& err, ShownAs form, std::chrono::seconds quiet = std::chrono::seconds(20));
  ~ProgressDisplay();

  void on_progress(const evolve::Progress& progress);
  void on_level(store::Id candidate, const std::string& level);  // From any thread.

  // Takes the block away, so that what is printed next stands alone.
  void clear();
  double elapsed_s() const;

 private:
  // Everything is copied: what Progress points to may change before the next drawing.
  struct Status {
    uint32_t evaluations = 0, budget = 0, generation = 0, rejected = 0;
    double baseline_us = 0, best_us = 0, cost_usd = 0;
    store::Id best = store::kNoId;
    std::vector<std::string> current;
  };
  std::vector<std::string> lines() const;
  std::string time_left() const;
  std::string levels_line() const;  // "" when nothing is under way.
  void say(const std::string& line);
  void draw();
  void erase();

  std::ostream& err_;
  ShownAs form_;
  std::chrono::seconds quiet_;  // May pass between two plain lines before what begins is told.
  std::chrono::steady_clock::time_point start_, last_said_;
  std::mutex lock_;
  Status status_;
  std::map<store::Id, std::string> levels_;  // Of what is under way.
  uint32_t first_evaluations_ = 0;           // Those of an earlier process took none of this one's time.
  bool has_started_ = false;
  size_t drawn_lines_ = 0;
};

}  // namespace cuco::campaign
