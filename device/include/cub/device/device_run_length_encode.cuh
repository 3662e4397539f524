#pragma once

#include "cub/cuco_device.h"
