// Does a run again from its campaign and its log alone, and compares the two databases byte for byte. One that was lost
// is made again.
#pragma once

#include <string>

#include "campaign/context.h"

namespace cuco::campaign {

// `run`: a run folder, or the name of one under ./runs. Says what came out; where the two differ the exit code is
// kProgramFailed.
Status replay(const std::string& run, Context& context);

}  // namespace cuco::campaign
