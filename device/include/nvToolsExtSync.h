#pragma once

#include "nvtx3/nvToolsExtSync.h"
