// Sites and hardware stated by hand, for the tests of this folder.
#pragma once

#include "model/profile.h"
#include "space/directive.h"
#include "space/facts.h"
#include "space/legality.h"

namespace cuco::space {

inline model::HardwareProfile test_profile(uint32_t nodes, uint32_t ranks_per_node) {
  model::HardwareProfile profile;
  profile.name = "box";
  profile.gpu.architecture = "sm_90";
  profile.gpu.sm_count = 100;
  profile.gpu.hbm_gib = 80;
  profile.gpu.threads_per_sm_max = 2048;
  profile.gpu.blocks_per_sm_max = 32;
  profile.topology.nodes = nodes;
  profile.topology.ranks_per_node = ranks_per_node;
  if (ranks_per_node > 1) profile.topology.inside = model::Link{"nvlink", 1, 300, 50};
  if (nodes > 1) profile.topology.between = model::Link{"roce", 5, 12, 10};
  return profile;
}

inline model::HardwareProfile nvlink_box() {
  model::HardwareProfile profile = test_profile(1, 4);
  profile.topology.multimem = true;
  return profile;
}
inline model::HardwareProfile two_nodes() { return test_profile(2, 1); }
inline model::HardwareProfile two_nodes_of_four() { return test_profile(2, 4); }

inline LinkedWork test_kernel(std::string name) {
  LinkedWork work;
  work.name = std::move(name);
  work.grid = "64";
  work.grid_ctas = 64;
  work.block_threads = 256;
  work.block_barriers = 2;
  work.has_body = true;
  return work;
}

// An all-gather of 16 MiB a rank between two kernels, beside which independent work exists: everything that depends on
// the program is legal.
inline SiteFacts test_site(std::string name = "s1") {
  SiteFacts site;
  site.name = name;
  site.exchange = name;
  site.callee = "ncclAllGather";
  site.location = "ring.cu:10:3";
  site.collective = model::Collective::AllGather;
  site.type = "ncclFloat";
  site.element_bytes = 4;
  site.message_bytes = 16u << 20;
  site.producers = {test_kernel("gemm")};
  site.consumers = {test_kernel("norm")};
  site.overlap_count = 1;
  site.rank_model = model::RankModel::Mpi;
  site.in_region = true;
  return site;
}

inline SiteFacts all_reduce_site(std::string type, std::string reduction) {
  SiteFacts site = test_site();
  site.callee = "ncclAllReduce";
  site.collective = model::Collective::AllReduce;
  site.type = std::move(type);
  site.reduction = std::move(reduction);
  return site;
}

inline SiteFacts transfer_site(std::string name, model::Collective collective) {
  SiteFacts site = test_site(std::move(name));
  site.callee = collective == model::Collective::Send ? "ncclSend" : "ncclRecv";
  site.collective = collective;
  site.group_pattern = model::GroupPattern::Ring;
  site.exchange = "group 7";
  return site;
}

inline Directive directive(std::string_view text) { return *parse_directive(text); }

inline SiteFacts changed(auto change) {
  SiteFacts site = test_site();
  change(site);
  return site;
}

// What one rule says against a directive; empty when it does not object.
inline std::string objection(std::string_view rule, const SiteFacts& site, std::string_view text,
                             const model::HardwareProfile& profile = nvlink_box()) {
  for (const Violation& violation : check(site, directive(text), profile))
    if (violation.rule == rule) return violation.reason;
  return {};
}

inline model::HardwareProfile box_of(uint32_t sm_count) {
  model::HardwareProfile profile = nvlink_box();
  profile.gpu.sm_count = sm_count;
  return profile;
}

// Producer and consumer with this grid. 2048 threads an SM hold 8 CTAs of 256 threads: 800 on the 100 SMs of the box.
inline SiteFacts site_with_grids(std::optional<uint64_t> ctas, bool cooperative = false) {
  return changed([&](SiteFacts& site) {
    for (LinkedWork* work : {&site.producers[0], &site.consumers[0]}) {
      work->grid_ctas = ctas;
      work->grid = ctas ? std::to_string(*ctas) : "n / 64";
      work->cooperative = cooperative;
    }
  });
}

void for_each_combination(auto visit, Directive chosen = {}, size_t level = 0) {
  if (level == kDimensionCount) return visit(chosen);
  for (size_t value = 0; value < value_count(kDimensions[level]); ++value) {
    set_value(chosen, kDimensions[level], value);
    for_each_combination(visit, chosen, level + 1);
  }
}

// Sites and machines that between them meet every rule at least on one side.
inline std::vector<SiteFacts> varied_sites() {
  std::vector<SiteFacts> sites = {test_site(), all_reduce_site("ncclDouble", "ncclMax"),
                                  all_reduce_site("ncclBfloat16", "ncclSum"),
                                  transfer_site("s1", model::Collective::Recv)};
  sites.resize(9, test_site());
  sites[4].blockers = {"`x` is managed memory, which cannot be a window"};
  sites[5].producers.clear();
  sites[5].consumers = {test_kernel("norm")};
  sites[5].consumers[0].grid_ctas = 100'000;
  sites[5].rank_model = model::RankModel::Threads;
  sites[6].overlap_count = 0;
  sites[6].loop_role = model::LoopRole::Chunks;
  sites[6].producers[0].block_barriers = 0;
  sites[7].condition = "rank == 0";
  sites[7].message_bytes = 4096;
  sites[8].message_bytes.reset();
  sites[8].producers[0].grid_barrier = true;
  sites[8].producers[0].grid_ctas.reset();
  return sites;
}

inline std::vector<model::HardwareProfile> varied_profiles() {
  model::HardwareProfile tiny = test_profile(1, 2);
  tiny.gpu.sm_count = 2;
  return {nvlink_box(), two_nodes(), two_nodes_of_four(), tiny};
}

}  // namespace cuco::space
