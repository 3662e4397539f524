// A ProcessRunner that answers from a table and remembers what was asked.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/text.h"

namespace cuco::testing {

class FakeProcessRunner : public ProcessRunner {
 public:
  // By the command line, its words joined with one blank. What is not in the table cannot be started.
  std::map<std::string, ProcessOutput> answers;
  // Asked before the table; nothing: the table answers.
  std::function<std::optional<ProcessOutput>(const std::string& line)> respond;
  std::vector<std::string> calls;  // Lines in the order in which they were run.

  Result<ProcessOutput> run(const std::vector<std::string>& arguments, int, const std::string& = "") override {
    calls.push_back(join(arguments, " "));
    if (respond)
      if (std::optional<ProcessOutput> response = respond(calls.back())) return *response;
    auto answer = answers.find(calls.back());
    if (answer == answers.end()) return Error{arguments[0] + ": No such file or directory"};
    return answer->second;
  }

  size_t count_of(const std::string& part) const {
    return static_cast<size_t>(std::count_if(
        calls.begin(), calls.end(), [&](const std::string& line) { return line.find(part) != std::string::npos; }));
  }
};

}  // namespace cuco::testing
