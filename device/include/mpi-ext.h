// Open MPI's extensions. The virtual cluster's MPI takes device memory.
#pragma once

#include "mpi.h"

#define OMPI_HAVE_MPI_EXT 1
#define OMPI_HAVE_MPI_EXT_CUDA 1
#define MPIX_CUDA_AWARE_SUPPORT 1

static inline int MPIX_Query_cuda_support(void) { return 1; }
static inline int MPIX_Query_rocm_support(void) { return 0; }
