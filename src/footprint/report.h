// A study for people and for programs. docs/trace.md describes both.
#pragma once

#include <string>

#include "footprint/study.h"

namespace cuco::footprint {

std::string study_text(const Study& study);
std::string study_json(const Study& study);

// What is to be said about a footprint besides its form: overlap, atomics, bytes that all blocks touch.
std::vector<std::string> remarks_on(const Footprint& footprint);

}  // namespace cuco::footprint
