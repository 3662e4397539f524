// Running other programs. The interface is abstract so that whatever depends on the machine can be tested with a fake.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace cuco {

struct ProcessOutput {
  int exit_code = 0;  // 128 + signal when killed by one.
  std::string text;   // Standard output and standard error, interleaved.
};

class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  // An error means that the program could not be started or did not end in time (then it was killed).
  virtual Result<ProcessOutput> run(const std::vector<std::string>& arguments, int timeout_ms) = 0;
};

class RealProcessRunner : public ProcessRunner {
 public:
  Result<ProcessOutput> run(const std::vector<std::string>& arguments, int timeout_ms) override;
};

}  // namespace cuco
