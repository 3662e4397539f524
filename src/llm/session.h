// All the models of one run of cuco: one budget over them, one transcript, one list of prices. What the command line
// says about models (--model, --prices, --budget-usd, --budget-calls, --record, --replay) becomes one of these.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/environment.h"
#include "base/result.h"
#include "llm/budget.h"
#include "llm/clock.h"
#include "llm/model.h"
#include "llm/open_model.h"
#include "llm/prices.h"

namespace cuco::llm {

struct SessionOptions {
  BudgetCaps caps = {};
  std::optional<std::filesystem::path> prices = std::nullopt;  // The user's, on top of those that ship.
  ModelOptions models = {};
};

class Session {
 public:
  // The environment and the clock must outlive the session.
  static Result<std::unique_ptr<Session>> open(const std::filesystem::path& share, SessionOptions options,
                                               const Environment& environment, Clock& clock);

  // The same spec gives the same model, so that roles that share one replay in one order. Lives as long as the session.
  Result<Model*> model(const std::string& spec);

  // A reply that an earlier session of the same run paid for.
  void charge(const Reply& reply) { budget_.charge(reply.cost_usd); }

  // "3 calls, $0.0412", and how many of them have no known price.
  std::string spending() const;
  Spending spent() const { return budget_.spent(); }

 private:
  Session(SessionOptions options, PriceList prices, const Environment& environment, Clock& clock);

  ModelOptions options_;
  PriceList prices_;
  Budget budget_;
  const Environment& environment_;
  Clock& clock_;
  std::map<std::string, std::unique_ptr<Model>> models_;
};

}  // namespace cuco::llm
