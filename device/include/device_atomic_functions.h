// An old name of part of the runtime's header.
#pragma once

#include "cuda_runtime.h"
