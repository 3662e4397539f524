// A run as the report and the summary look at it: candidates with what was found out about them, in order.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/verdict.h"
#include "space/plan.h"
#include "store/records.h"

namespace cuco::report {

struct Entry {
  store::Candidate candidate;
  std::optional<store::Judgement> screen, full;
  std::optional<space::Plan> plan;  // Stated, else inferred.

  // The closest look there is; null for what was never judged.
  const store::Judgement* judgement() const;
  bool passed() const;
  std::optional<double> time_us() const;  // Of what passed.
  std::string hidden_words() const;       // "90 %" of the hideable communication; empty when not known.
};

struct RunView {
  store::Campaign campaign;
  std::vector<Entry> entries;  // Entry i has id i + 1.
  std::vector<store::Event> events;
  std::vector<store::Lesson> lessons;  // Of the last step that drew some.
  // The baseline is what gains are claimed against: the program as it is, or a faster form of NCCL's own.
  store::Id baseline = store::kNoId, fast_path = store::kNoId, best = store::kNoId;
  std::string stop_reason;
  uint32_t evaluations = 0, rejected = 0, untimed = 0;

  const Entry* find(store::Id id) const;
  std::optional<double> baseline_us() const;
  // The least that any form of the host-driven program needs without its communication, or for it alone. Where
  // verified programs have their kernels in a better order, that order counts.
  std::optional<double> bound_us() const;
  double cost_usd() const;
  double gpu_seconds() const;  // For which GPUs were held; 0 of a run on the virtual cluster.
};

// "lsa, stream, flag, 4 CTAs"; of a baseline what NCCL was given.
std::string design_of(const Entry& entry);

// Of a candidate that passed.
std::optional<evaluate::Timing> timing_of(const Entry& entry);

RunView view_of(const store::Campaign& campaign, const std::vector<store::Step>& steps);

// "2.31x" against the baseline; empty where one of the times is missing.
std::optional<double> speedup(const RunView& view, const Entry& entry);

// Kinds of the first error that each rejected candidate was rejected for, with how often: {"deadlock", 2}.
std::map<std::string, uint32_t> rejections(const RunView& view);

// "gin, split, peer-signal, 2 CTAs, remote-first": what the sites have in common, and what differs as "gin or lsa".
std::string plan_words(const space::Plan& plan);

}  // namespace cuco::report
