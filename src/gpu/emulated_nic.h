// The emulated NIC (nic/, docs/emulated_nic.md) between the nodes that ranks of one GPU pretend to be on: where its
// plugin for NCCL is, what ranks are told, and what it tells after a run.
#pragma once

#include <filesystem>
#include <optional>

#include "base/environment.h"
#include "base/result.h"
#include "gpu/program.h"
#include "gpu/rank_run.h"
#include "model/profile.h"

namespace cuco::gpu {

// $CUCO_NIC, else beside cuco itself: in its own folder or in lib/ next to it, of a build or of an installation. The
// error says where it was looked for.
Result<std::filesystem::path> find_nic_plugin(const Environment& environment);

// For every run of a session. Settings of the NIC that the user has in his environment are handed on, but for those
// that are cuco's.
Variables nic_variables(const std::optional<model::Network>& network, const std::filesystem::path& plugin,
                        const Environment& environment);

// For one run: a session of its own, so that ranks of two runs do not meet, and statistics in the run's folder.
void add_nic_run(const std::filesystem::path& plugin, RankLaunch& launch, Variables& variables);

// What the NICs of that run have written, beside the times of its calls.
std::optional<evaluate::NetworkUse> network_use_in(const std::filesystem::path& folder, const RunOutcome& outcome);

}  // namespace cuco::gpu
