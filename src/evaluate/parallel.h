// Runs numbered jobs on a few threads with a result that does not depend on which finishes first.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace cuco::evaluate {

// Calls job(0), job(1), ... up to count - 1, begun in this order. A job that returns false keeps later ones from being
// begun; since some of those may be under way, the caller looks at results up to the first false one only.
inline void run_in_order(uint32_t count, uint32_t thread_count, const std::function<bool(uint32_t)>& job) {
  std::atomic<uint32_t> next{0};
  std::atomic<bool> go_on{true};
  auto work = [&] {
    for (uint32_t i; go_on && (i = next++) < count;)
      if (!job(i)) go_on = false;
  };
  std::vector<std::thread> others;
  for (uint32_t i = 1; i < std::min(thread_count, count); i++) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

}  // namespace cuco::evaluate
