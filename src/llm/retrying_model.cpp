#include "llm/retrying_model.h"

#include <algorithm>

#include "base/printable.h"
#include "base/text.h"

namespace cuco::llm {

namespace {

constexpr int64_t kCancelCheckMs = 100;

Usage most_that_it_can_use(const Prompt& prompt) { return {tokens_at_most(prompt), prompt.max_tokens, true}; }

}  // namespace

Result<Reply> RetryingModel::complete(const Prompt& prompt, Progress& progress) {
  for (int attempts = 1;; ++attempts) {
    CUCO_TRY(Attempt attempt, attempt_within_budget(prompt, progress));
    if (auto* reply = std::get_if<Reply>(&attempt)) {
      reply->cost_usd = cost_usd(reply->usage);
      return *reply;
    }
    const auto& failure = std::get<Failure>(attempt);
    bool patient = failure.retry_after_ms.value_or(0) <= terms_.retry.retry_after_ms_max;
    if (!failure.retryable || !patient || attempts >= terms_.retry.attempts_max) return gave_up(failure, attempts);
    int64_t pause_ms = wait_ms(failure, attempts);
    progress.on_retry(failure.message, pause_ms);
    if (!wait(pause_ms, progress)) return gave_up(cancelled_failure(), attempts);
  }
}

Result<Attempt> RetryingModel::attempt_within_budget(const Prompt& prompt, Progress& progress) {
  CUCO_TRY(Budget::Reservation reservation, budget_.reserve(terms_.model, cost_usd(most_that_it_can_use(prompt))));
  Attempt attempt = provider_->attempt(prompt, progress);
  const auto* reply = std::get_if<Reply>(&attempt);
  const Usage& usage = reply != nullptr ? reply->usage : std::get<Failure>(attempt).spent;
  bool answered = reply != nullptr || usage.input_tokens + usage.output_tokens > 0;
  budget_.settle(reservation, answered, cost_usd(usage));
  return attempt;
}

std::optional<double> RetryingModel::cost_usd(const Usage& usage) const {
  return terms_.price ? std::optional(terms_.price->cost_usd(usage)) : std::nullopt;
}

int64_t RetryingModel::wait_ms(const Failure& failure, int attempt) {
  int64_t full = std::min(terms_.retry.wait_ms_first << std::min(attempt - 1, 20), terms_.retry.wait_ms_max);
  std::lock_guard lock(random_mutex_);
  auto jittered = static_cast<int64_t>(static_cast<double>(full) * (1.0 - 0.5 * random_.unit()));
  return std::max(jittered, failure.retry_after_ms.value_or(0));
}

bool RetryingModel::wait(int64_t duration_ms, const Progress& progress) {
  while (duration_ms > 0 && !progress.cancelled()) {
    int64_t slice = std::min(duration_ms, kCancelCheckMs);
    clock_.sleep_ms(slice);
    duration_ms -= slice;
  }
  return !progress.cancelled();
}

Error RetryingModel::gave_up(const Failure& failure, int attempts) const {
  std::string tries = attempts > 1 ? concat(" (attempt ", attempts, ")") : "";
  std::string wish = failure.retry_after_ms.value_or(0) > terms_.retry.retry_after_ms_max
                         ? concat("; it asks to wait ", *failure.retry_after_ms / 1000, " s")
                         : "";
  return Error{concat(terms_.model, ": ", printable(failure.message), wish, tries)};
}

}  // namespace cuco::llm
