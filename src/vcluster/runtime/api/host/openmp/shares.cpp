#include "vcluster/runtime/api/host/openmp/shares.h"

#include <algorithm>

namespace cuco::vcluster::openmp {

Share static_share(uint64_t count, uint64_t threads, uint64_t thread) {
  uint64_t each = count / threads, more = count % threads;
  uint64_t begin = thread * each + std::min(thread, more);
  return {begin, begin + each + (thread < more ? 1 : 0)};
}

Share next_share(Schedule schedule, uint64_t count, uint64_t chunk, uint64_t threads, uint64_t thread,
                 Progress& progress) {
  chunk = std::max<uint64_t>(chunk, 1);
  if (schedule == Schedule::Static) return progress.given++ == 0 ? static_share(count, threads, thread) : Share{};
  if (schedule == Schedule::StaticChunks) {
    uint64_t begin = std::min((progress.given++ * threads + thread) * chunk, count);
    return {begin, std::min(begin + chunk, count)};
  }
  uint64_t left = count - progress.given;
  uint64_t size = schedule == Schedule::Guided ? std::max((left + threads - 1) / threads, chunk) : chunk;
  Share share{progress.given, progress.given + std::min(size, left)};
  progress.given = share.end;
  return share;
}

}  // namespace cuco::vcluster::openmp
