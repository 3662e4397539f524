// Any program as a model: the prompt goes to its standard input, its standard output is the reply.
#pragma once

#include <cstdint>
#include <string>

#include "llm/provider.h"

namespace cuco::llm {

class CommandProvider : public Provider {
 public:
  CommandProvider(std::string command, int64_t timeout_ms) : command_(std::move(command)), timeout_ms_(timeout_ms) {}

  // Fails, for good, when the program cannot be run, exits with another code than 0, or prints nothing.
  Attempt attempt(const Prompt& prompt, Progress& progress) override;

 private:
  std::string command_;
  int64_t timeout_ms_;
};

}  // namespace cuco::llm
