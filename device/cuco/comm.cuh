// Communication from kernels over NCCL's device API: all of cuco/comm.
#pragma once

#include <cuco/comm/await_blocks.cuh>
#include <cuco/comm/chain.cuh>
#include <cuco/comm/fused_reduce.cuh>
#include <cuco/comm/order.cuh>
#include <cuco/comm/overlap_reduce.cuh>
#include <cuco/comm/reduce_parts.cuh>
#include <cuco/comm/sending.cuh>
#include <cuco/comm/set_up.cuh>
#include <cuco/comm/specialised.cuh>
