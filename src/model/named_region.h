// The region that a user names: FILE:LINE-LINE, FILE:LINE or FUNCTION.
#pragma once

#include <string>

#include "base/result.h"
#include "model/program.h"

namespace cuco::model {

// The last time that a run comes by: of lines, what is called there, with loops that stand there as a whole; of a
// function, what one call of it does. An error says what is wrong with the name.
Result<TimedRegion> find_named_region(const Program& program, const std::string& name);

}  // namespace cuco::model
