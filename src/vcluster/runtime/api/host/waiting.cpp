#include "vcluster/runtime/api/host/waiting.h"

#include <utility>

namespace cuco::vcluster {

std::map<const void*, std::deque<HostThread*>>& host_waiters() {
  static std::map<const void*, std::deque<HostThread*>> all;
  return all;
}

void wait_at(const void* address, std::string what) {
  host_waiters()[address].push_back(world->current_host);
  world->wait(std::move(what));
}

size_t wake_at(const void* address, size_t count_max) {
  auto found = host_waiters().find(address);
  if (found == host_waiters().end()) return 0;
  size_t woken = 0;
  while (woken < count_max && !found->second.empty()) {
    world->wake(*found->second.front(), world->now());
    found->second.pop_front();
    woken++;
  }
  if (found->second.empty()) host_waiters().erase(found);
  return woken;
}

}  // namespace cuco::vcluster
