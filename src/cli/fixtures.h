// Runs a command line in a test.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "testing/fake_environment.h"
#include "testing/fake_process.h"

namespace cuco::cli {

struct Outcome {
  int exit_code;
  std::string out, err;
};

// What the command writes goes to `sink` instead, if there is one.
inline Outcome run(const std::vector<std::string>& arguments, const std::filesystem::path& share = CUCO_SOURCE_DIR,
                   std::streambuf* sink = nullptr) {
  cuco::testing::FakeProcessRunner processes;
  cuco::testing::FakeEnvironment environment;
  std::ostringstream out, err;
  std::ostream to_sink(sink);
  Context context{sink ? to_sink : out, err, false, processes, environment, share};
  int exit_code = run_command_line(arguments, context);
  return {exit_code, out.str(), err.str()};
}

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace cuco::cli
