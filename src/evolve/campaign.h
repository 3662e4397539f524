// What a run was asked for. Two parts: what decides its result, which the store keeps and which is the same wherever
// the run is done; and the place, which only this machine needs. Both are in campaign.json of the run's folder, beside
// the baseline's files in program/, so that a run goes on and can be done again whatever became of the program since.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "evaluate/evaluate.h"
#include "evolve/search.h"
#include "store/records.h"

namespace cuco::evolve {

struct CampaignPlace {
  std::string target;     // As the user typed the program: a workload's folder, or files.
  std::string selection;  // The options that chose its configuration and machine, as typed: " --config small".
  std::string arguments;  // What stood after them: " -- rows=64".
  std::filesystem::path folder, start_folder;  // See evaluate::EvaluationRequest.
};

// Of a run whose times are measured on GPUs.
struct GpuCampaign {
  std::string executor;          // "mpi" or "one-gpu".
  std::string device;            // The GPU's name. Times of another one cannot be compared with it.
  std::string software;          // "driver 580.65, CUDA 13.0, NCCL 2.30.7, Open MPI 4.1.6".
  uint32_t iterations = 10;      // That are timed when a candidate is screened.
  uint32_t collective_ctas = 8;  // NCCL's limit for everything whose plan states none; 0: none.
  std::string hosts, launcher;   // See gpu/session/session.h; no part of what decides a run.
  uint32_t device_index = 0;     // Nor is this: of one-gpu, which of the GPUs.
};

inline constexpr uint64_t kMemoryGib = 4;  // Of one run, unless asked for otherwise.

struct CampaignSetting {
  std::string name;
  std::string command;                      // That repeats the run, without where it is written.
  evaluate::Configuration configuration;    // The case.
  std::vector<evaluate::ProofSize> proofs;  // See evaluate::EvaluationRequest.
  std::vector<SourceFile> baseline;
  model::BuildFlags flags;  // Their folders are part of the place.
  bool plain = false;
  bool staged = false;  // All sites go through staging memory: their buffers did not do as windows.
  bool allow_lossy = false;
  int time_limit_s = 60;
  uint64_t memory_gib = kMemoryGib;
  bool with_nvcc = true, sandbox = true;
  std::vector<std::string> proposers;  // "rules", "model".
  std::vector<std::string> models;     // Specs.
  std::optional<double> budget_usd;
  std::optional<double> budget_minutes;  // Of wall-clock time, over all processes that worked on the run.
  std::optional<GpuCampaign> gpu;        // None: the virtual cluster's times count.
  SearchOptions search;
  std::string input_key;  // Decides too, but is a secret: neither the store nor an export has it.
  CampaignPlace place;
};

store::Campaign campaign_of(const CampaignSetting& setting);

// Inverse of each other. A folder with a campaign.json has the whole campaign.
Status save_campaign(const CampaignSetting& setting, const std::filesystem::path& run_folder);
Result<CampaignSetting> load_campaign(const std::filesystem::path& run_folder);

// What the virtual cluster is asked. Tools, cache and jobs are the caller's.
evaluate::EvaluationRequest request_of(const CampaignSetting& setting);

// All that a verdict depends on besides the texts, as text; names no folder.
std::string verdict_setting(const CampaignSetting& setting);
// The same for times of the campaign's GPUs.
std::string gpu_verdict_setting(const CampaignSetting& setting);

}  // namespace cuco::evolve
