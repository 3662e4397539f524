// SEARCH/REPLACE edits: finding them in a reply, and applying one to a file. reply.h shows their form.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/program_text.h"
#include "base/result.h"

namespace cuco::agent {

struct Edit {
  std::string path;  // Empty without a FILE line; the last one before the edit counts.
  std::vector<std::string> search;
  std::vector<std::string> replace;
};

bool is_search_mark(const std::string& line);

// `named_file` reads a FILE line. Errors name the line of the reply.
Result<std::vector<Edit>> find_edits(const std::vector<std::string>& lines,
                                     const std::function<std::optional<std::string>(const std::string&)>& named_file);

// The text of the file after the edit. Not found, or found twice, is an error that says where the closest lines stand.
Result<std::string> apply_edit(const Edit& edit, const SourceFile& file);

}  // namespace cuco::agent
