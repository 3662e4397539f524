// What every command gets and gives: where it writes, the effects it uses, its exit code. Nothing else of the process
// is touched, so that a command can be run in a test.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/process.h"
#include "base/result.h"

namespace cuco::campaign {

enum ExitCode : int {
  kFine = 0,
  kProgramFailed = 1,  // The program under study is wrong.
  kCannotServe = 2,    // The request is.
};

struct Context {
  std::ostream& out;
  std::ostream& err;
  bool colour = false;
  ProcessRunner& processes;
  const Environment& environment;
  Result<std::filesystem::path> share;     // With device/ and profiles/; an error for installations that are broken.
  std::vector<std::string> trailing = {};  // What stood after "--": arguments of the program under study.
  ExitCode exit_code = kFine;              // Of a request that was served; a command sets it to kProgramFailed.
};

}  // namespace cuco::campaign
