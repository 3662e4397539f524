// What can be said of a source file before it is parsed: that it is text, and where its evolve blocks are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/program.h"

namespace cuco::frontend {

// Refuses bytes that no source file holds, before a parser wades through megabytes of them.
Status check_source_text(const std::string& path, std::string_view text);

// The text between `// EVOLVE-BLOCK-START` and `// EVOLVE-BLOCK-END` lines, markers not included. Markers must
// alternate.
Result<std::vector<model::EvolveBlock>> find_evolve_blocks(const std::string& path, std::string_view text,
                                                           model::Index file);

}  // namespace cuco::frontend
