// Who judges candidates: the cascade on the virtual cluster, a log of what it said before, or a fake in tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "evaluate/verdict.h"
#include "store/records.h"

namespace cuco::evolve {

enum class Depth : uint8_t {
  Screen,  // One schedule, no nvcc: what the search goes by.
  Full,    // All schedules, nvcc where it is there: before anything is called the best.
};

// What a candidate's gain is against.
struct Against {
  double baseline_us = 0;
  double bound_compute_us = 0;  // Of the fastest form without its communication; 0: unknown.
};

struct Task {
  const store::Candidate* candidate = nullptr;
  const store::Candidate* parent = nullptr;  // Whose frozen text holds; null: anything may differ (the rewriter's own).
  Depth depth = Depth::Screen;
  std::optional<Against> against = std::nullopt;  // None: it is a baseline itself, or the evaluator knows.
  // The least time of those that passed, where the same evaluator takes it: one that takes more is not the best.
  std::optional<double> best_us = std::nullopt;
  double bound_below_us = 0;  // Its time without its communication is wanted as well if it takes less than this.
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  // In the order of the tasks; may run side by side. An error ends the run: nothing can be said about any candidate.
  virtual Result<std::vector<evaluate::Verdict>> evaluate(const std::vector<Task>& tasks) = 0;
};

}  // namespace cuco::evolve
