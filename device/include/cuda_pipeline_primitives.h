// Another name of the primitive pipeline calls.
#pragma once

#include "cuda_pipeline.h"
