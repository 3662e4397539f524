// What a directive asks of the device communicator (ncclDevCommRequirements) and of the SMs.
#pragma once

#include <cstdint>

#include "model/profile.h"
#include "space/directive.h"
#include "space/facts.h"

namespace cuco::space {

// NCCL draws the signals of all communicators of a process from one pool, NCCL_GIN_SIGNAL_POOL_SIZE. Its default is 64
// Ki in NCCL 2.28 (512 Ki since 2.29.7); a plan has to fit the smaller one.
inline constexpr uint64_t kGinSignalPool = 65536;

struct Resources {
  uint64_t signals = 0;       // ginSignalCount: one per phase, sending peer and chunk in flight.
  uint64_t gin_barriers = 0;  // Each takes one signal of the same pool.
  uint64_t lsa_barriers = 0;
};

// One barrier per CTA that issues: CTA i meets CTA i of every peer. `communication_ctas` counts for multi-CTA issue
// only.
Resources resources_of(const SiteFacts& site, const Directive& directive, const model::Topology& topology,
                       uint32_t communication_ctas);

// An upper bound from SMs and threads; registers and shared memory can only lower it.
uint64_t resident_ctas_max(const model::GpuProfile& gpu, uint64_t block_threads);

}  // namespace cuco::space
