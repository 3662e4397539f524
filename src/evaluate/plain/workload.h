// A workload folder made from a program as it is: what `cuco init` writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "evaluate/plain/buffers.h"
#include "frontend/frontend.h"
#include "model/program.h"

namespace cuco::evaluate {

struct DraftRequest {
  frontend::ParseRequest program;
  std::vector<std::string> arguments;  // The program's own.
  std::string name;                    // Of the workload.
  std::string profile;
  uint32_t rank_count = 2;
  uint32_t node_count = 1;
  std::string why_plain;  // Leaves the harness out for this reason; empty: it is put in where it can be.
};

struct Draft {
  // By name in the folder: the program's files lie in it as below the folder that they came from.
  std::map<std::string, std::string> files;
  std::string found;  // What was found and what to check, for the terminal.
  bool has_harness = false;
};

// Reads the program and drafts its workload. Where the harness cannot be put in, the program stays as it is and `found`
// says why. An error: the program cannot be read or is no workload.
Result<Draft> draft_workload(const DraftRequest& request);

}  // namespace cuco::evaluate
