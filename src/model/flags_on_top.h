// Flags from two places: those that a workload or a compile_commands.json has, and those that were given for one run.
#pragma once

#include "model/build_flags.h"

namespace cuco::model {

// `given` comes before what `own` has: its folders are searched first, its macros are defined last, its standards and
// its region count.
BuildFlags on_top(const BuildFlags& given, BuildFlags own);

}  // namespace cuco::model
