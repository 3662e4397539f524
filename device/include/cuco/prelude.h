// Forced in front of every .cu file: what nvcc provides without an include.
// The C library is declared __host__ __device__, since CUDA lets device code call printf, memcpy, expf and the like.
// malloc comes first because Clang's own <new> wants it on the device; the C++ headers come before <math.h>, which
// would pull them in as device code although they define variables and call host-only helpers.
#pragma once

#include "cuco/attributes.h"

#ifdef CUCO_CUDA_SOURCE
#include <bits/c++config.h>
#pragma clang force_cuda_host_device begin
#include <stdlib.h>
#include <string.h>
#pragma clang force_cuda_host_device end

#include <bits/stl_algobase.h>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#pragma clang force_cuda_host_device begin
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <time.h>
#pragma clang force_cuda_host_device end

#include <cmath>
#include <cstdlib>

#include "cuda_runtime.h"
#ifdef CUCO_LOWERING
#include "cuco/execute.h"
#endif
#endif
