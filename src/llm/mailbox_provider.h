// A folder as a model: NNNN.prompt.txt is written there, and whoever answers, a person or another agent, puts
// NNNN.reply.txt beside it. The prompt file appears whole and under a number that no other caller has. The reply is
// taken once it is not empty and has not grown between two looks, so that it need not appear whole; renaming it into
// place is still better.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "llm/clock.h"
#include "llm/provider.h"

namespace cuco::llm {

class MailboxProvider : public Provider {
 public:
  MailboxProvider(std::filesystem::path folder, int64_t timeout_ms, Clock& clock)
      : folder_(std::move(folder)), timeout_ms_(timeout_ms), clock_(clock) {}

  Attempt attempt(const Prompt& prompt, Progress& progress) override;

 private:
  Result<std::filesystem::path> post(const Prompt& prompt) const;

  std::filesystem::path folder_;
  int64_t timeout_ms_;
  Clock& clock_;
};

}  // namespace cuco::llm
