// The parts of a file that a candidate may change: the lines between a comment line `// EVOLVE-BLOCK-START` and the
// next
// `// EVOLVE-BLOCK-END`. Everything else, the markers included, is frozen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source_file.h"
#include "evaluate/text/lexer.h"
#include "evaluate/verdict.h"

namespace cuco::evaluate {

struct EvolveBlock {
  size_t begin = 0, end = 0;  // Bytes between the marker lines.
};

// A marker that stands alone, is nested, or hides in a string, a macro or another comment is an error.
Result<std::vector<EvolveBlock>> find_blocks(const SourceFile& file, const std::vector<Token>& tokens);

bool is_inside(const std::vector<EvolveBlock>& blocks, const Token& token);

// What is frozen in the parent and differs in the candidate: nothing, or one finding at the first difference.
std::vector<Finding> compare_frozen(const SourceFile& parent, const std::vector<EvolveBlock>& parent_blocks,
                                    const SourceFile& candidate, const std::vector<EvolveBlock>& blocks);

}  // namespace cuco::evaluate
