// Hard caps on what models may cost. The most that an attempt can cost is set aside before it is made and replaced by
// what it did cost afterwards, so that the caps hold with several calls under way. Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"

namespace cuco::llm {

struct BudgetCaps {
  std::optional<double> usd = std::nullopt;
  std::optional<uint64_t> calls = std::nullopt;
};

struct Spending {
  double usd = 0;
  uint64_t calls = 0;           // That were answered, in whole or in part.
  uint64_t unpriced_calls = 0;  // Of these, at a price that is not known.
};

class Budget {
 public:
  explicit Budget(BudgetCaps caps) : caps_(caps) {}

  // What was set aside for one attempt; must be given back to `settle`.
  struct Reservation {
    double usd = 0;
  };

  // `usd_most` is unset when the price of `model` is not known, which no cap in USD can allow.
  Result<Reservation> reserve(const std::string& model, std::optional<double> usd_most);
  // `answered` is false when the provider refused the attempt and charges nothing.
  void settle(Reservation reservation, bool answered, std::optional<double> usd);

  // Paid in an earlier session of the same run: the caps are the run's.
  void charge(std::optional<double> usd);

  Spending spent() const;

 private:
  void add(std::optional<double> usd);  // Under the lock.

  BudgetCaps caps_;
  mutable std::mutex mutex_;
  Spending spent_;
  double reserved_usd_ = 0;
  uint64_t reserved_calls_ = 0;
};

}  // namespace cuco::llm
