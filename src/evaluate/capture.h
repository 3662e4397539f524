// The outputs that the judge compares, as the runner captured them: see vcluster/capture.h for the format.
#pragma once

#include "cuco/element.h"
#include "vcluster/capture.h"

namespace cuco::evaluate {

using vcluster::Capture;
using vcluster::CapturedOutput;
using vcluster::read_capture;

inline Element element_of(const CapturedOutput& output) { return static_cast<Element>(output.element); }

}  // namespace cuco::evaluate
