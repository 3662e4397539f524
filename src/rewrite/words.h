// Names of other folders that all of this one uses.
#pragma once

#include "footprint/access_form.h"
#include "model/access_trace.h"
#include "model/program.h"

namespace cuco::rewrite {

using footprint::Access;
using footprint::Accesses;
using footprint::AccessForm;
using footprint::AccessSample;
using footprint::AccessTerms;
using footprint::can_be_compared;
using footprint::count_others;
using footprint::launches_of;
using footprint::LaunchRelations;
using footprint::TracedShape;
using model::AccessTrace;
using model::Collective;
using model::Footprint;
using model::Index;
using model::Operation;
using model::OperationKind;
using model::SourceRange;
using model::TracedBlock;
using model::TracedCall;
using model::TracedLaunch;
using model::TracedStep;

// A call in the communication library: of its set-up, or what it leaves to NCCL where a kernel has no form.
inline bool is_of_library(const Operation& operation) { return operation.function.starts_with("cuco::comm::"); }

}  // namespace cuco::rewrite
