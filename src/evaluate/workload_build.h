// How the files of a workload are compiled, in the table [build] of its workload.toml. Every key is optional; folders
// and files are seen from the workload's folder:
//
//   [build]
//   include_folders = ["include"]           # -I
//   system_include_folders = []             # -isystem
//   quote_folders = []                      # -iquote
//   definitions = ["REAL=float"]            # -D
//   undefinitions = ["DEBUG"]               # -U
//   forced_includes = ["config.h"]          # -include
//   libraries = ["m"]                       # -l
//   library_folders = []                    # -L
//   standard = "c++20"                      # -std, of CUDA and C++ files
//   c_standard = "gnu99"                    # -std, of .c files
//   region = "src/main.cu:40-52"            # --region
//
//   [build.of."src/fast.cu"]                # Of one file that is compiled otherwise: all that it is compiled with.
//   definitions = ["UNROLL=8"]
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "evaluate/workload.h"
#include "model/build_flags.h"

namespace cuco::model {
struct Section;
}

namespace cuco::evaluate {

// A list of texts under a key that is there.
Result<std::vector<std::string>> read_words(const model::Section& section, const char* key);

// Needs the workload's folder and files.
Status read_build(const model::Section& root, Workload& workload);

// Inverse: the tables for flags of these files, names in the workload. Folders and files in `folder` are written as
// seen from there, all others as absolute paths. Empty when there is nothing to say.
std::string build_tables(const model::BuildFlags& flags, const std::vector<std::string>& names,
                         const std::filesystem::path& folder);

// A text as TOML has it.
std::string toml_text(const std::string& text);
std::string toml_list(const std::vector<std::string>& words);

}  // namespace cuco::evaluate
