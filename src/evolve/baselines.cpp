#include "evolve/baselines.h"

#include "base/text.h"
#include "evolve/members.h"
#include "space/plan.h"

namespace cuco::evolve {

namespace {

std::string plan_under(const std::string& plan_text, uint32_t limit) {
  Result<space::Plan> plan = space::parse_plan(plan_text, "plan");
  CUCO_ASSERT(plan.ok());
  plan->schedule.communication_ctas = limit;
  return space::to_text(*plan);
}

}  // namespace

std::vector<uint32_t> cta_limits(uint32_t most) {
  std::vector<uint32_t> limits;
  for (uint32_t limit = 2; limit <= 32 && limit <= most; limit *= 2) limits.push_back(limit);
  return limits;
}

std::vector<store::Candidate> further_baselines(const store::Candidate& as_written,
                                                const std::optional<std::vector<store::File>>& with_windows,
                                                const std::vector<uint32_t>& limits, uint32_t usual) {
  std::vector<store::Candidate> baselines;
  auto add = [&](const std::vector<store::File>& files, uint32_t limit, const char* form) {
    store::Candidate candidate = as_written;
    candidate.proposer = kBaseline;
    candidate.files = files;
    candidate.plan = plan_under(as_written.plan, limit);
    candidate.intent = concat("NCCL", form, " with at most ", limit, " CTAs.");
    baselines.push_back(std::move(candidate));
  };
  for (uint32_t limit : limits) {
    if (limit != usual) add(as_written.files, limit, "");
    if (with_windows) add(*with_windows, limit, " on symmetric windows");
  }
  return baselines;
}

}  // namespace cuco::evolve
