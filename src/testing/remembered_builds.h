// Builds for the virtual cluster that a test makes again and again: text that was lowered or compiled before in the
// same way is neither lowered nor compiled again. For one thread.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "base/sha256.h"
#include "base/text.h"
#include "lowering/lower.h"

namespace cuco::testing {

inline Result<std::string> lower_once(const vcluster::LoweringInput& input) {
  static std::map<std::string, Result<std::string>> known;
  std::string key = sha256(vcluster::to_text(input));
  auto found = known.find(key);
  if (found == known.end()) found = known.emplace(key, lowering::lower_to_cpp(input)).first;
  return found->second;
}

// Real processes. What a compiler made of a file is kept, and given again for the same text and flags.
class RememberingProcesses : public ProcessRunner {
 public:
  Result<ProcessOutput> run(const std::vector<std::string>& arguments, int timeout_ms,
                            const std::string& read = "") override {
    static std::map<std::string, std::string> objects;
    if (!compiles(arguments)) return real_.run(arguments, timeout_ms, read);
    const std::string &input = *(arguments.end() - 3), &output = arguments.back();
    std::vector<std::string> flags(arguments.begin(), arguments.end() - 3);
    std::string key = concat(join(flags, " "), " ", sha256(*read_file(input)));
    if (auto found = objects.find(key); found != objects.end() && write_file(output, found->second).ok())
      return ProcessOutput{};
    Result<ProcessOutput> result = real_.run(arguments, timeout_ms);
    if (result && result->exit_code == 0) objects[key] = *read_file(output);
    return result;
  }

 private:
  // As vcluster/build_image.cpp calls Clang: the last words are INPUT -o OUTPUT.
  static bool compiles(const std::vector<std::string>& arguments) {
    return arguments.size() > 4 && *(arguments.end() - 2) == "-o" &&
           std::find(arguments.begin(), arguments.end(), "-c") != arguments.end();
  }

  RealProcessRunner real_;
};

}  // namespace cuco::testing
