#pragma once

#include "cub/cuco_block.h"
