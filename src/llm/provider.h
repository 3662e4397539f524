// Who answers one attempt at a call. What stands around attempts (retries, budget, price, recording) is the same for
// all providers and lies elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "llm/model.h"

namespace cuco::llm {

struct Failure {
  std::string message;
  bool retryable = false;
  std::optional<int64_t> retry_after_ms = std::nullopt;  // The provider's wish.
  Usage spent = {};  // Tokens of a reply that broke off: they are charged all the same.
};

using Attempt = std::variant<Reply, Failure>;

class Provider {
 public:
  virtual ~Provider() = default;
  // Leaves the cost of the reply unset. Called from several threads at once.
  virtual Attempt attempt(const Prompt& prompt, Progress& progress) = 0;
};

inline Failure cancelled_failure() { return Failure{"the call was cancelled"}; }

}  // namespace cuco::llm
