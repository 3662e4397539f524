// cuco_twins FOLDER...: how the time of every twin of these workloads compares with that of its full size, as rows of a
// table. With --fit first, also the scale with which it would be equal: rates are changed, a few times over, by
// the ratio of the times they cause. `memory` keeps its ratio to `link`, or to `compute` where the two are equal.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "base/text.h"
#include "timed_workload.h"

namespace cuco::evaluate {
namespace {

constexpr int kFitRounds = 4;

double ratio(double wanted, double seen) { return seen > 0 ? wanted / seen : 1; }

// One step towards the full size's times. Communication has latencies in it that no scale changes, so that its ratio is
// only a direction; compute is exact where nothing but rates of the multiprocessors limits it.
void approach(const Timing& full, const Timing& twin, Scale& scale) {
  double compute = ratio(full.path.compute_us + full.path.copy_us, twin.path.compute_us + twin.path.copy_us);
  double link = ratio(full.path.exposed_communication_us, twin.path.exposed_communication_us);
  double& follower = scale.memory == scale.compute ? compute : link;
  scale.memory *= follower;
  scale.compute *= compute;
  scale.link *= link;
}

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

void print_row(const std::string& workload, const Configuration& twin, const Timing& full, const Timing& seen) {
  Shares a = shares_of(full), b = shares_of(seen);
  std::printf("| %s %s | %.0f | %.0f | %+.1f %% | %s, %s | %s, %s |\n", workload.c_str(), twin.twin_of.c_str(),
              full.median_us, seen.median_us, 100 * (seen.median_us / full.median_us - 1), percent(a.compute).c_str(),
              percent(a.communication).c_str(), percent(b.compute).c_str(), percent(b.communication).c_str());
  std::fflush(stdout);
}

void print_scale(const std::string& name, const Scale& scale) {
  std::printf("%s: scale = { compute = %.6g, memory = %.6g, link = %.6g, multiprocessors = %.7g }\n", name.c_str(),
              scale.compute, scale.memory, scale.link, scale.multiprocessors);
  std::fflush(stdout);
}

Status compare(const TimedWorkload& timed, Configuration twin, bool fits) {
  Result<Configuration> whole = find_configuration(timed.workload(), twin.twin_of);
  if (!whole) return whole.error();
  Result<Timing> full = timed.time(*whole), seen = timed.time(twin);
  for (int round = 0; fits && full && seen && round < kFitRounds; round++) {
    approach(*full, *seen, twin.scale);
    seen = timed.time(twin);
  }
  if (!full) return full.error();
  if (!seen) return seen.error();
  print_row(timed.workload().name, twin, *full, *seen);
  if (fits) print_scale(twin.name, twin.scale);
  return Done{};
}

Status compare_twins(const char* folder, bool fits) {
  Result<TimedWorkload> timed = TimedWorkload::build(folder);
  if (!timed) return timed.error();
  for (const Configuration& each : timed->workload().configurations)
    if (each.purpose == Purpose::Twin)
      if (Status compared = compare(*timed, each, fits); !compared) return compared;
  return Done{};
}

}  // namespace
}  // namespace cuco::evaluate

int main(int count, char** arguments) {
  bool fits = count > 1 && std::strcmp(arguments[1], "--fit") == 0;
  std::printf("| configuration | full us | twin us | | full: compute, exposed | twin |\n|---|---|---|---|---|---|\n");
  for (int i = fits ? 2 : 1; i < count; i++) {
    cuco::Status compared = cuco::evaluate::compare_twins(arguments[i], fits);
    if (compared.ok()) continue;
    std::fprintf(stderr, "%s\n", compared.error().message.c_str());
    return 1;
  }
}
