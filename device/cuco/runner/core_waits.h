// How long threads of this process were ready to run and had no core. Ranks poll, NCCL and an emulated NIC in threads
// of their own; where all of these outnumber the cores they take turns of milliseconds, and a time that was measured
// meanwhile is of the host's scheduler. Linux counts the waiting of every thread; elsewhere it reads as none.
#pragma once

#include <dirent.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>

namespace cuco::runner {

class CoreWaits {
 public:
  void begin() { before_ = read(); }

  // Since begin(), of the thread that waited longest.
  double longest_us() const {
    uint64_t longest_ns = 0;
    for (const auto& [thread, waited_ns] : read()) {
      auto found = before_.find(thread);
      if (found != before_.end()) longest_ns = std::max(longest_ns, waited_ns - found->second);
    }
    return static_cast<double>(longest_ns) / 1000;
  }

 private:
  using Waits = std::map<std::string, uint64_t>;  // By the thread's number, in ns since it began.

  static Waits read() {
    Waits waits;
    DIR* folder = opendir("/proc/self/task");
    if (!folder) return waits;
    while (const dirent* entry = readdir(folder)) {
      std::ifstream file(std::string("/proc/self/task/") + entry->d_name + "/schedstat");
      uint64_t ran_ns = 0, waited_ns = 0;
      if (file >> ran_ns >> waited_ns) waits[entry->d_name] = waited_ns;
    }
    closedir(folder);
    return waits;
  }

  Waits before_;
};

}  // namespace cuco::runner
