#pragma once

#include "nccl_device/core.h"
