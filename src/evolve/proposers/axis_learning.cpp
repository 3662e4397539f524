#include "evolve/proposers/axis_learning.h"

#include <algorithm>
#include <cmath>

#include "evolve/members.h"

namespace cuco::evolve {
namespace {

struct Shares {
  double exposed = 0, launch = 0, wait = 0;
};

Shares shares_of(const Member& member) {
  if (!member.verdict.timing) return {};
  const evaluate::CriticalPath& path = member.verdict.timing->path;
  double sum = path.compute_us + path.copy_us + path.exposed_communication_us + path.launch_us + path.wait_us;
  if (sum <= 0) return {};
  return {path.exposed_communication_us / sum, path.launch_us / sum, path.wait_us / sum};
}

// Exposed communication calls for another placement, parts and a wider link; time in launches for fewer and larger
// pieces; waiting for peers for another order and finer synchronisation. A kernel that communicates waits where a host
// call would count as exposed, so waiting speaks for another placement too.
double prior(Axis axis, const Shares& shares) {
  switch (axis) {
    case Axis::Placement:
      return 1 + 6 * shares.exposed + 4 * shares.wait;
    case Axis::Chunk:
      return 1 + 4 * shares.exposed + 3 * shares.launch + 2 * shares.wait;
    case Axis::Ctas:
    case Axis::Issuer:
      return 0.75 + 3 * shares.exposed + shares.wait;
    case Axis::Order:
      return 0.75 + 4 * shares.wait + shares.exposed;
    case Axis::Waits:
      return 0.5 + 3 * shares.wait + 2 * shares.exposed;
    case Axis::Sync:
      return 0.75 + 3 * shares.wait + 2 * shares.launch;
    case Axis::Backend:
      return 0.75 + shares.exposed;
    case Axis::Streams:
    case Axis::Priority:
      return 0.5 + shares.exposed;
  }
  return 1;
}

}  // namespace

void AxisLearning::catch_up(const std::vector<Member>& members) {
  for (; known_count_ < members.size() && !members[known_count_].pending; ++known_count_) {
    const Member& member = members[known_count_];
    if (member.candidate.parent == store::kNoId || !member.plan || member.candidate.files.empty()) continue;
    learn(member, members[static_cast<size_t>(member.candidate.parent) - 1]);
  }
}

void AxisLearning::learn(const Member& member, const Member& parent) {
  std::optional<double> before = time_us(parent), after = time_us(member);
  if (!parent.plan || !before) return;
  std::vector<Axis> axes = differing_axes(*parent.plan, *member.plan);
  double gain = after ? std::max(0.0, std::log(*before / *after)) : 0;
  for (Axis axis : axes) {
    Record& record = records_[static_cast<size_t>(axis)];
    record.gain += gain / static_cast<double>(axes.size());
    record.trials += 1 / static_cast<double>(axes.size());
  }
}

// An axis never tried counts like the best one: hope, until it is tried.
AxisWeights AxisLearning::weights(const Member& parent) const {
  auto mean = [](const Record& record) { return record.gain / (record.trials + 1); };
  double best = 0;
  for (const Record& record : records_) best = std::max(best, mean(record));
  Shares shares = shares_of(parent);
  AxisWeights weights{};
  for (Axis axis : kAxes) {
    const Record& record = records_[static_cast<size_t>(axis)];
    double paid = record.trials == 0 || best == 0 ? 1 : mean(record) / best;
    weights[static_cast<size_t>(axis)] = prior(axis, shares) * (0.25 + paid);
  }
  return weights;
}

}  // namespace cuco::evolve
