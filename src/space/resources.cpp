#include "space/resources.h"

#include <algorithm>

namespace cuco::space {
namespace {

uint64_t sender_count(const SiteFacts& site, const Directive& directive, const model::Topology& topology) {
  if (site.collective == model::Collective::Send) return 0;  // The receiving site holds the signals of the exchange.
  if (site.collective == model::Collective::Recv && site.loop_role != model::LoopRole::Peers) return 1;
  // Hybrid reaches the ranks of its own node by load and store.
  uint32_t not_signalling = directive.backend == Backend::Hybrid ? topology.ranks_per_node : 1;
  return topology.rank_count() - not_signalling;
}

uint64_t chunk_count(const SiteFacts& site, uint64_t chunk_bytes) {
  if (chunk_bytes == kWholeMessage || !site.message_bytes) return 1;
  return (*site.message_bytes + chunk_bytes - 1) / chunk_bytes;
}

uint64_t signal_count(const SiteFacts& site, const Directive& directive, const model::Topology& topology) {
  uint64_t per_chunk = phase_count(site) * sender_count(site, directive, topology);
  if (directive.sync == SyncScope::PeerSignal) return per_chunk;
  if (directive.sync == SyncScope::ChunkSignal) return per_chunk * chunk_count(site, directive.chunk_bytes);
  return 0;
}

uint64_t issuing_cta_count(const SiteFacts& site, const Directive& directive, uint32_t communication_ctas) {
  if (directive.issuer != Issuer::MultiCta) return 1;
  if (directive.placement != Placement::TileFused) return communication_ctas;
  uint64_t most = 1;
  for (const LinkedWork& work : tile_works(site)) most = std::max(most, work.grid_ctas.value_or(1));
  return most;
}

}  // namespace

Resources resources_of(const SiteFacts& site, const Directive& directive, const model::Topology& topology,
                       uint32_t communication_ctas) {
  Resources resources;
  if (directive.backend == Backend::Host) return resources;
  resources.signals = signal_count(site, directive, topology);
  if (directive.sync != SyncScope::Barrier) return resources;
  uint64_t barriers = issuing_cta_count(site, directive, communication_ctas);
  if (directive.backend == Backend::Gin || directive.backend == Backend::Hybrid) resources.gin_barriers = barriers;
  if (directive.backend != Backend::Gin) resources.lsa_barriers = barriers;
  return resources;
}

uint64_t resident_ctas_max(const model::GpuProfile& gpu, uint64_t block_threads) {
  uint64_t by_threads = gpu.threads_per_sm_max / std::max<uint64_t>(block_threads, 1);
  return gpu.sm_count * std::min<uint64_t>(gpu.blocks_per_sm_max, by_threads);
}

}  // namespace cuco::space
