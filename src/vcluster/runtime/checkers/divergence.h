// Threads of one block that do not meet where they should: at different barriers of the code, in a call for the whole
// block that some never make, at one hardware barrier for two groups. It works by luck where the counts fit, and hangs
// or mixes phases elsewhere. Findings: divergent_barrier and barrier_misuse, once per launch.
#pragma once

#include <cstdint>

namespace cuco::vcluster {

class Block;
struct MeetingPlace;

// The running thread came `from` there to a meeting where thread `first` waits, which came from elsewhere.
void report_divergence(Block& block, const MeetingPlace& first_from, uint32_t first, const MeetingPlace& from);
// `live` threads of the block are left for a call that all must make.
void report_missing_threads(Block& block, const char* place, uint32_t live);
// Another span of warps, from `other_warp` on, is still at the barrier.
void report_shared_barrier(Block& block, int barrier, int other_warp);

}  // namespace cuco::vcluster
