// Findings of a rewritten program speak of its lines; whoever wrote the original knows it by the lines it had.
#pragma once

#include <string>
#include <vector>

#include "evaluate/text/evolve_blocks.h"

namespace cuco::evaluate {

struct Verdict;

// The text with "(line M of the original)" behind every FILE:LINE of a candidate's file that the original has as line
// M, and "(new, after line M of the original)" behind those that it does not have. Files and lines that did not change
// stay as they are.
std::string with_original_lines(const std::string& text, const std::vector<SourceFile>& original,
                                const std::vector<SourceFile>& candidate);

// The same for all findings.
void name_original_lines(Verdict& verdict, const std::vector<SourceFile>& original,
                         const std::vector<SourceFile>& candidate);

}  // namespace cuco::evaluate
