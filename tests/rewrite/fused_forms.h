// Every form in which kernels of a program do what its calls did, each with a program of this folder: which blocks
// send, reduce or wait, and of which messages. A form is to hold for every backend and rank count.
#pragma once

#include "rewritten_trial.h"

namespace cuco {

struct FusedForm {
  const char* name;
  const char* program;
  // Of the program's sites in their order, the last for all that follow; with LSA.
  std::vector<std::string> directives;
  std::vector<std::string> kernels;  // Part of the names of kernels that are to run.
  space::Schedule schedule = {};
  std::vector<std::string> definitions = {};
  uint32_t traced_ranks_least = 2;  // With fewer another launch is the last before the call.
};

inline space::Schedule with_communicators(uint32_t blocks) {
  space::Schedule schedule;
  schedule.communication_ctas = blocks;
  return schedule;
}

inline space::Schedule with_waiting_blocks(uint32_t streams) {
  space::Schedule schedule;
  schedule.streams = streams;
  schedule.waits = space::Waits::Blocks;
  return schedule;
}

inline const std::string kTiles = "lsa/tile-fused/flag/cta/", kApart = "lsa/specialised/flag/multi-cta/256B";

// That no other test of this folder runs.
inline const std::vector<FusedForm>& forms_of_this_table() {
  static const std::vector<FusedForm> forms = {
      {"PartsForAll", "odd_tiles.cu", {kTiles + "256B"}, {"smooth_with_s1", "columns_with_s2"}},
      {"RowsOfOne", "tiled_broadcast.cu", {kTiles + "512B"}, {"fill_with_s1"}},
      {"RowsOfOneInPlace", "tiled_broadcast.cu", {kApart}, {"fill_with_s1"}, with_communicators(2), {"FORM=1"}},
      {"KernelOfTwoCalls", "shared_kernel.cu", {kTiles + "512B"}, {"fill_with_s1", "fill_with_s2"}},
      {"KernelOfTwoKinds",
       "shared_kernel.cu",
       {kApart, kTiles + "512B"},
       {"fill_with_s1", "fill_with_s2"},
       with_communicators(2)},
      {"SendsOfGroups", "tiled_sends.cu", {kTiles + "2KiB"}, {"fill_sending"}, {}, {}, 3},
      {"BlocksOfTheirOwnBesideTiles",
       "odd_tiles.cu",
       {kApart, kTiles + "256B"},
       {"smooth_with_s1", "columns_with_s2"},
       with_communicators(2)},
  };
  return forms;
}

inline const std::vector<FusedForm>& forms_with_tests_of_their_own() {
  static const std::vector<std::string> reducing = {"fill_shared_with_s1", "fill_whole_with_s2", "fill_own_with_s3",
                                                    "fill_one_with_s4"};
  static const std::vector<FusedForm> forms = {
      {"GatheredRows", "tiled_gather.cu", {kTiles + "2KiB"}, {"fill_with_s1"}},
      {"GatheredColumns", "tiled_gather.cu", {kTiles + "2KiB"}, {"fill_with_s1"}, {}, {"SHAPE=1"}},
      {"Reductions", "tiled_reductions.cu", {kTiles + "512B"}, reducing},
      {"SmallElements",
       "tiled_reductions.cu",
       {kTiles + "256B"},
       reducing,
       {},
       {"TYPE=__nv_bfloat16", "NCCL_TYPE=ncclBfloat16"}},
      {"Sends", "fused_sends.cu", {kTiles + "512B"}, {"step_sending", "produce_sending", "stage_sending"}},
      {"SendsAndWaits",
       "fused_sends.cu",
       {kTiles + "512B"},
       {"step_awaiting_sending", "produce_sending", "stage_awaiting_sending"},
       with_waiting_blocks(0)},
      {"BlocksOfTheirOwn", "odd_tiles.cu", {kApart}, {"smooth_with_s1", "columns_with_s2"}, with_communicators(2)},
      {"WaitsForRows", "gathered_rows.cu", {"lsa/stream/flag/cta/2KiB"}, {"work_awaiting"}, with_waiting_blocks(1)},
      {"WaitsForNeighbours", "halo_steps.cu", {"lsa/stream/flag/cta/whole"}, {"step_awaiting"}, with_waiting_blocks(1)},
      {"WaitsForSends", "tiled_sends.cu", {"lsa/stream/flag/cta/2KiB"}, {"add_awaiting"}, with_waiting_blocks(1)},
  };
  return forms;
}

// A form for ranks that are connected in some way.
struct FusedCase {
  const FusedForm* form;
  space::Backend backend;
  uint32_t ranks;

  Trial trial() const {
    uint32_t nodes = backend == space::Backend::Lsa ? 1 : 2;
    return {kFolder / form->program, form->definitions, {}, ranks, nodes};
  }
};

inline std::string name_of(const ::testing::TestParamInfo<FusedCase>& info) {
  const FusedCase& one = info.param;
  const char* backend = one.backend == space::Backend::Lsa   ? "Lsa"
                        : one.backend == space::Backend::Gin ? "Gin"
                                                             : "Hybrid";
  return concat(one.form->name, "_", backend, "_", one.ranks);
}

// Over the network signals take the place of flags, for each message or for each part of it.
inline space::Directive directive_on(space::Backend backend, const std::string& text) {
  space::Directive directive = *space::parse_directive(text);
  if (backend == space::Backend::Lsa) return directive;
  bool whole = directive.chunk_bytes == space::kWholeMessage;
  directive.backend = backend;
  directive.sync = whole ? space::SyncScope::PeerSignal : space::SyncScope::ChunkSignal;
  return directive;
}

// What the program does as it is. It does not depend on what connects the ranks, so one run is for all backends.
inline TracedRun run_as_written(const FusedCase& one, uint32_t ranks) {
  FusedCase near{one.form, space::Backend::Lsa, ranks};
  return traced_run(near.trial(), space::Backend::Lsa);
}

inline Result<std::string> text_of(const FusedCase& one) {
  TracedRun before = run_as_written(one, std::max(one.ranks, one.form->traced_ranks_least));
  const std::vector<std::string>& directives = one.form->directives;
  return rewritten(one.trial(), &before.trace, [&](const std::vector<space::SiteFacts>& sites) {
    space::Plan plan{{}, one.form->schedule};
    for (size_t i = 0; i < sites.size(); i++)
      plan.choices.push_back(
          {sites[i].name, directive_on(one.backend, directives[std::min(i, directives.size() - 1)])});
    return plan;
  });
}

}  // namespace cuco
