// How the files of a program are compiled: what a compiler's command line says about them. Every part of cuco that
// reads, builds or judges a program has these, so that all see the same text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cuco::model {

struct BuildFlags {
  std::vector<std::string> include_folders;         // -I, in the order they are searched.
  std::vector<std::string> system_include_folders;  // -isystem.
  std::vector<std::string> quote_folders;           // -iquote: only for #include "...".
  std::vector<std::string> definitions;             // -D: "NAME" or "NAME=VALUE".
  std::vector<std::string> undefinitions;           // -U; they come after the definitions.
  std::vector<std::string> forced_includes;         // -include.
  std::string standard = "c++17";                   // Of CUDA and C++ files.
  std::string c_standard = "gnu17";                 // Of .c files.
  std::vector<std::string> libraries;               // -l: host libraries that the program is linked with.
  std::vector<std::string> library_folders;         // -L.
  std::vector<std::string> nvcc_options;            // --nvcc-option: words that nvcc alone gets.
  std::string database;                             // The folder whose compile_commands.json gave some; empty: none.
  std::string region;                               // What --region names (named_region.h); empty: it is found.
  std::vector<BuildFlags> of_files;                 // One for each file, where they differ; empty: these are for all.

  const BuildFlags& of_file(size_t index) const { return index < of_files.size() ? of_files[index] : *this; }

  bool operator==(const BuildFlags&) const = default;
};

enum class Language { Cuda, Cpp, C };

// Among nvcc_options: files of every ending are CUDA.
constexpr const char* kAllIsCuda = "-x=cu";

// By the file's ending, unless the file's flags have kAllIsCuda: .cu and .cuh are CUDA, .c is C, all others are C++.
Language language_of(const std::string& file, const BuildFlags& flags);
// False for headers, which are there for those that include them.
bool is_compiled(const std::string& file);
const std::string& standard_of(const BuildFlags& flags, Language language);

// "c++20" or "gnu++20" is for C++ and CUDA, "c11" or "gnu11" for C.
void set_standard(BuildFlags& flags, const std::string& standard);

// The preprocessor's part of a compiler's command line, without the standard. Folders with headers of CUDA, NCCL or MPI
// are left out: the caller has others for them.
std::vector<std::string> preprocessor_words(const BuildFlags& flags);
// The same for nvcc, with every folder.
std::vector<std::string> nvcc_words(const BuildFlags& flags);
// -L and -l for a linker, without the libraries of CUDA, NCCL and MPI: the caller has others for them.
std::vector<std::string> host_library_words(const BuildFlags& flags);

// With absolute paths, as seen from the current folder. A forced include that is not there is left as it is: it may be
// found in an include folder.
BuildFlags absolute(BuildFlags flags);

// For copies of files: `names` are theirs below `copies`, as the files' own were below `folder`. Headers that a file
// includes stay where they are, so they are looked for beside the file that was copied. An empty folder has none.
BuildFlags flags_of_copies(const BuildFlags& flags, const std::vector<std::string>& names,
                           const std::filesystem::path& copies, const std::filesystem::path& folder);

// All folders that a compiler may read because of the flags.
std::vector<std::string> read_folders(const BuildFlags& flags);

// Without anything that names a place: what is left decides what a text means wherever it lies.
BuildFlags without_folders(BuildFlags flags);

// For files and other processes. Inverse of each other.
std::string to_text(const BuildFlags& flags);
Result<BuildFlags> parse_build_flags(std::string_view text);

// As they would be typed for cuco: " -I include -D 'A=\"b\"'", each word by `quoted`.
std::string typed_text(const BuildFlags& flags, std::string (*quoted)(std::string_view));

}  // namespace cuco::model
