// compile_commands.json, as CMake and others write it: which files a program has and with which flags each is compiled.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/build_flags.h"

namespace cuco::campaign {

struct CompileCommand {
  std::filesystem::path file;  // Absolute.
  model::BuildFlags flags;     // With absolute folders.
};

// Of `folder`/compile_commands.json, in its order, a file once.
Result<std::vector<CompileCommand>> read_compile_commands(const std::filesystem::path& folder);

// What a compiler's words say about the text; names are seen from `directory`. Everything else they say is passed over.
model::BuildFlags flags_from_words(const std::vector<std::string>& words, const std::filesystem::path& directory);

// As a shell would split it.
std::vector<std::string> split_words(const std::string& line);

// Files that are not given are those of the database, and every file gets its flags from there; `flags`, which were
// given, come on top. A given file that the database does not have is an error.
Status take_compile_commands(const std::filesystem::path& folder, std::vector<std::string>& files,
                             model::BuildFlags& flags);

}  // namespace cuco::campaign
