// The keys of a profile file in the order they are shown, each with the field it fills: reading, printing and checking
// all go through these lists. Visit is called as visit(key, field) with a string, uint32_t, double, bool or, where the
// key may be absent, an optional double.
#pragma once

#include "model/profile.h"

namespace cuco::model {

template <typename Gpu, typename Visit>
void visit_gpu(Gpu& gpu, Visit&& visit) {
  visit("name", gpu.name);
  visit("architecture", gpu.architecture);
  visit("sm_count", gpu.sm_count);
  visit("clock_ghz", gpu.clock_ghz);
  visit("fp32_tflops", gpu.fp32_tflops);
  visit("tensor_bf16_tflops", gpu.tensor_bf16_tflops);
  visit("hbm_gb_per_s", gpu.hbm_gb_per_s);
  visit("hbm_gib", gpu.hbm_gib);
  visit("l2_mib", gpu.l2_mib);
  visit("l2_gb_per_s", gpu.l2_gb_per_s);
  visit("shared_kib_per_sm", gpu.shared_kib_per_sm);
  visit("registers_per_sm", gpu.registers_per_sm);
  visit("threads_per_sm_max", gpu.threads_per_sm_max);
  visit("blocks_per_sm_max", gpu.blocks_per_sm_max);
  visit("efficiency", gpu.efficiency);
  visit("tensor_efficiency", gpu.tensor_efficiency);
  visit("memory_efficiency", gpu.memory_efficiency);
}

template <typename Times, typename Visit>
void visit_latencies(Times& latencies, Visit&& visit) {
  visit("launch_us", latencies.launch_us);
  visit("kernel_gap_us", latencies.kernel_gap_us);
  visit("stream_sync_us", latencies.stream_sync_us);
  visit("event_us", latencies.event_us);
  visit("collective_us", latencies.collective_us);
  visit("flag_hop_us", latencies.flag_hop_us);
  visit("launch_call_us", latencies.launch_call_us);
  visit("collective_call_us", latencies.collective_call_us);
  visit("poll_us", latencies.poll_us);
}

template <typename Host, typename Visit>
void visit_host(Host& host, Visit&& visit) {
  visit("gop_per_s", host.gop_per_s);
  visit("gflop_per_s", host.gflop_per_s);
  visit("gb_per_s", host.gb_per_s);
  visit("pcie_gb_per_s", host.pcie_gb_per_s);
}

// Without the links, which are tables of their own.
template <typename Ranks, typename Visit>
void visit_topology(Ranks& topology, Visit&& visit) {
  visit("nodes", topology.nodes);
  visit("ranks_per_node", topology.ranks_per_node);
  visit("ranks_per_gpu", topology.ranks_per_gpu);
  visit("multimem", topology.multimem);
}

template <typename Wire, typename Visit>
void visit_link(Wire& link, Visit&& visit) {
  visit("kind", link.kind);
  visit("latency_us", link.latency_us);
  visit("gb_per_s", link.gb_per_s);
  visit("messages_m_per_s", link.messages_m_per_s);
  visit("block_gb_per_s", link.block_gb_per_s);
}

}  // namespace cuco::model
