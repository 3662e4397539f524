// Which files a program includes, read from its text alone: what any branch of a condition includes counts, and names
// that macros make are not seen.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "evaluate/text/evolve_blocks.h"

namespace cuco::evaluate {

struct Include {
  std::string name;           // Between the quotes or brackets.
  size_t begin = 0, end = 0;  // Bytes of the directive, without the end of its line.
  bool conditional = false;   // Inside an #if.
};

std::vector<Include> includes_of(const std::string& text);

// Files of the folder that the sources include, directly or through each other, by their names there. A name is looked
// for beside the file that includes it, then in the folder itself, then in those below it that are searched.
Result<std::vector<SourceFile>> included_files(const std::vector<SourceFile>& sources,
                                               const std::filesystem::path& folder,
                                               const std::vector<std::string>& searched = {});

// Headers that files on disk reach by the paths in their directives: beside the file that includes them, or in one of
// the folders. As paths; what is not found is left out.
std::vector<std::filesystem::path> reached_headers(const std::vector<std::string>& files,
                                                   const std::vector<std::string>& folders);

// What has to go with files of the folder when some of its headers are changed: those (`changed`), every header that
// includes one of them, and what either includes by a path that starts beside itself.
Result<std::vector<SourceFile>> with_headers_around(const std::vector<SourceFile>& sources,
                                                    const std::vector<SourceFile>& changed,
                                                    const std::filesystem::path& folder,
                                                    const std::vector<std::string>& searched);

// The same for the headers of cuco that a program carries along. The harness is none of them: it belongs to the
// workload.
Result<std::vector<SourceFile>> library_headers(const std::vector<SourceFile>& sources,
                                                const std::filesystem::path& share);

// What a program is handed over with: the headers of its own folder, and those of cuco that the folder does not have
// itself.
struct CarriedHeaders {
  std::vector<SourceFile> own, library;
};
Result<CarriedHeaders> carried_headers(const std::vector<SourceFile>& program,
                                       const std::filesystem::path& program_folder, const std::filesystem::path& share);

// The source with these headers in it, in place of the directives that include them.
std::string with_headers_inside(const SourceFile& source, const std::vector<SourceFile>& headers);

}  // namespace cuco::evaluate
