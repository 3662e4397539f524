// Which files a plain program can open in the sandbox: those below the folder that cuco was started in, and those that
// its arguments name, wherever they lie. It is run in a folder that has copies of small ones and links to others, so that
// it reads them and what it writes stays apart. Its /tmp is a folder of the run. What begins with a dot, settings and secrets, is left out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "evaluate/sandbox.h"

namespace cuco::evaluate {

struct OpenedFiles {
  std::filesystem::path start;         // Where cuco was started; relative paths are seen from there.
  std::vector<std::string> arguments;  // Of the program: FILE, --option=FILE, NAME=FILE.
};

// Makes copies and links below `run_folder` and starts the program among them.
Status place_files(const OpenedFiles& files, const std::filesystem::path& run_folder, SandboxRequest& sandbox);

}  // namespace cuco::evaluate
