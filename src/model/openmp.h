// Whether OpenMP's pragmas mean something, as they do to compilers only with -fopenmp. Who links its library means them.
#pragma once

#include "model/build_flags.h"

namespace cuco::model {

// One whose functions the runner has.
bool is_openmp_library(const std::string& library);

// The program's own compiler has -fopenmp, which nvcc is given as -Xcompiler=-fopenmp.
bool has_openmp(const BuildFlags& flags);

}  // namespace cuco::model
