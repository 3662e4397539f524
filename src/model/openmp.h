// Whether OpenMP's pragmas mean something, as they do to compilers only with -fopenmp.
#pragma once

#include "model/build_flags.h"

namespace cuco::model {

// The program's own compiler has -fopenmp, which nvcc is given as -Xcompiler=-fopenmp.
bool has_openmp(const BuildFlags& flags);

}  // namespace cuco::model
