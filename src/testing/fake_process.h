// A ProcessRunner that answers from a table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/text.h"

namespace cuco::testing {

class FakeProcessRunner : public ProcessRunner {
 public:
  // By the command line, its words joined with one blank. What is not in the table cannot be started.
  std::map<std::string, ProcessOutput> answers;

  Result<ProcessOutput> run(const std::vector<std::string>& arguments, int) override {
    auto answer = answers.find(join(arguments, " "));
    if (answer == answers.end()) return Error{arguments[0] + ": No such file or directory"};
    return answer->second;
  }
};

}  // namespace cuco::testing
