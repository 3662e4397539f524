// The outputs that the judge compares, as the runner captured them: see vcluster/capture.h for the format.
#pragma once

#include "vcluster/capture.h"

namespace cuco::evaluate {

using vcluster::Capture;
using vcluster::CapturedOutput;
using vcluster::read_capture;

}  // namespace cuco::evaluate
