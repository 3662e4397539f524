// What a model replied, made into a program. A reply holds prose and either whole files,
//   FILE: program.cu
//   ```cuda
//   ...
//   ```
// or edits, whose SEARCH lines must stand in the file exactly once, byte for byte:
//   FILE: program.cu
//   <<<<<<< SEARCH
//   ...
//   =======
//   ...
//   >>>>>>> REPLACE
// The FILE line may be missing when the program has one file. Edits apply one after the other.
#pragma once

#include <string_view>

#include "agent/program_text.h"
#include "base/result.h"

namespace cuco::agent {

// An error is a text for the model: it names the place and says what would be right.
Result<ProgramText> apply_reply(const ProgramText& program, std::string_view reply);

}  // namespace cuco::agent
