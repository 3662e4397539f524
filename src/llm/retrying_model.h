// A model made of a provider: attempts are repeated while that can help, each only if the budget allows it, and the
// reply gets its cost.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/random.h"
#include "llm/budget.h"
#include "llm/clock.h"
#include "llm/model.h"
#include "llm/prices.h"
#include "llm/provider.h"

namespace cuco::llm {

// Waits double from the first on, each shortened by a random part of up to a half so that several callers spread out.
struct RetryPolicy {
  int attempts_max = 6;
  int64_t wait_ms_first = 1'000;
  int64_t wait_ms_max = 60'000;
  int64_t retry_after_ms_max = 300'000;  // A provider that asks for more is reported instead of waited for.
  uint64_t seed = 0;
};

struct CallTerms {
  std::string model;  // In messages: the spec.
  std::optional<Price> price;
  RetryPolicy retry;
};

class RetryingModel : public Model {
 public:
  // The budget and the clock must outlive the model.
  RetryingModel(std::unique_ptr<Provider> provider, CallTerms terms, Budget& budget, Clock& clock)
      : provider_(std::move(provider)),
        terms_(std::move(terms)),
        budget_(budget),
        clock_(clock),
        random_(terms_.retry.seed) {}

  Result<Reply> complete(const Prompt& prompt, Progress& progress) override;

 private:
  Result<Attempt> attempt_within_budget(const Prompt& prompt, Progress& progress);
  std::optional<double> cost_usd(const Usage& usage) const;
  int64_t wait_ms(const Failure& failure, int attempt);
  bool wait(int64_t duration_ms, const Progress& progress);
  Error gave_up(const Failure& failure, int attempts) const;

  std::unique_ptr<Provider> provider_;
  CallTerms terms_;
  Budget& budget_;
  Clock& clock_;
  std::mutex random_mutex_;
  Random random_;
};

}  // namespace cuco::llm
