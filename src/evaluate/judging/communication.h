// Whether the bytes of a candidate travel: whoever gets data of a peer from the baseline gets some from the candidate,
// by NCCL, from the host or from kernels, and not by ways around it.
#pragma once

#include <vector>

#include "evaluate/verdict.h"
#include "model/traffic.h"

namespace cuco::evaluate {

// Flags, counts and what set-up agrees on are no data. So many bytes from one rank to another in a call of the region,
// or such a share of what the baseline sends, connect the two only where the baseline sends no more either.
constexpr uint64_t kFlagBytesMax = 16;
constexpr uint64_t kFlagShare = 64;  // One of so many bytes.

// That a candidate may add by MPI or by copies between devices, from one rank to another in all calls together: set-up
// such as a unique id.
constexpr uint64_t kSetupBytesMax = 256;

// `not_communicated`: no path of transfers leads from a rank to one that gets its data in the baseline. Fewer bytes
// than the baseline's pass: padding may be left out, and outputs show what is missing. Needs a run of the checking
// build.
std::vector<Finding> find_missing_data(const model::Traffic& baseline, const model::Traffic& candidate);

// `host_channel`: bytes of the region go around NCCL that do not in the baseline.
std::vector<Finding> find_ways_around(const model::Traffic& baseline, const model::Traffic& candidate);

}  // namespace cuco::evaluate
