#pragma once

#include "nvtx3/nvToolsExt.h"
