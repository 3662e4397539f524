// Reads CUDA C++ source into the model. Parsing needs no CUDA installation: the headers of CUDA, NCCL and MPI are
// cuco's own stand-ins under share/device/include.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/build_flags.h"
#include "model/program.h"

namespace cuco::frontend {

struct ParseRequest {
  std::vector<std::string> files;  // CUDA, C++ and C files of one program; each becomes one translation unit.
  model::BuildFlags flags;
  std::filesystem::path share;    // See share_folder() in base/files.h.
};

// The error's message has one line per problem, each starting with file:line:col: where there is one. The timed region
// is filled in where the flags name one.
Result<model::Program> read_program(const ParseRequest& request);

}  // namespace cuco::frontend
