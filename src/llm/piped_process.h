// A shell command with text on its standard input, its two outputs gathered apart.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cuco::llm {

struct PipedOutput {
  int exit_code = 0;  // 128 + signal when killed by one.
  std::string out;
  std::string err;
};

struct PipeObserver {
  std::function<void(std::string_view)> on_out;
  std::function<bool()> cancelled;
};

// Runs `command` with /bin/sh in a process group of its own, which is killed when it takes longer than `timeout_ms` or
// is cancelled; both are errors. A command need not read all its input.
Result<PipedOutput> run_piped(const std::string& command, std::string_view input, int64_t timeout_ms,
                              const PipeObserver& observer);

}  // namespace cuco::llm
