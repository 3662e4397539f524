// Words of a compiler's command line (nvcc, g++, clang++, mpicxx) that cuco has no option for, so that a user's own line
// can stand behind `cuco COMMAND`, and lines of compile_commands.json are read the same way.
#pragma once

#include <string>
#include <vector>

namespace cuco::model {

enum class OutputWord { Dropped, Kept };  // What becomes of "-o FILE".

// Without words that only say how code is made (-O3, -arch=sm_90, -Xptxas -v). Words that nvcc needs to take the same
// text, or to compute the same, become "--nvcc-option=WORD". What -Xcompiler hands on is read likewise. "-std X" and
// "-std=X" become "--std X". All others stay.
std::vector<std::string> without_code_generation(const std::vector<std::string>& words, OutputWord output);

}  // namespace cuco::model
