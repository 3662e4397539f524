#pragma once

#include "cuco/device_math.h"
#include "cuco/device_sync.h"
