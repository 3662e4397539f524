// NCCL's device API, version 2.28.9: everything a program may name, in the order of nccl_device/.
#pragma once

#include "nccl_device/barrier.h"
#include "nccl_device/comm.h"
#include "nccl_device/coop.h"
#include "nccl_device/core.h"
#include "nccl_device/gin.h"
#include "nccl_device/gin_barrier.h"
#include "nccl_device/ll_a2a.h"
#include "nccl_device/lsa_barrier.h"
#include "nccl_device/ptr.h"
#include "nccl_device/utility.h"
