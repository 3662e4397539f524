// Ends the process when a region does not return in time, after writing which kernels it waits for. Other ranks get a
// moment to write theirs: whoever started them ends all of them when one ends.
#pragma once

#include <unistd.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cuco/runner/launches.h"
#include "cuco/runner/participant.h"

namespace cuco::runner {

class Watchdog {
 public:
  // Participants are never destroyed: the watchdog may look at them at any time.
  void watch(Participant* participant) {
    std::lock_guard<std::mutex> lock(mutex_);
    participants_.push_back(participant);
    if (participants_.size() == 1) std::thread([this] { keep_looking(); }).detach();
  }

  static void arm(Participant& participant) {
    participant.watched_since().store(Clock::now().time_since_epoch().count());
  }
  static void disarm(Participant& participant) { participant.watched_since().store(0); }

 private:
  static constexpr std::chrono::milliseconds kLook{20}, kForOthers{700};
  static constexpr unsigned kUnresponsiveSeconds = 4;
  static constexpr int kStuck = 86;

  void keep_looking() {
    while (true) {
      std::this_thread::sleep_for(kLook);
      std::lock_guard<std::mutex> lock(mutex_);
      bool found = false;
      for (Participant* each : participants_)
        if (is_stuck(*each)) {
          if (!found) alarm(kUnresponsiveSeconds);  // A driver that does not answer may not hold up the end.
          found = true;
          describe(*each);
        }
      if (!found) continue;
      std::this_thread::sleep_for(kForOthers);
      _exit(kStuck);
    }
  }

  static bool is_stuck(Participant& participant) {
    int64_t since = participant.watched_since().load();
    if (since == 0) return false;
    Clock::duration passed = Clock::now().time_since_epoch() - Clock::duration(since);
    return std::chrono::duration<double>(passed).count() > settings().region_limit_s;
  }

  static void describe(Participant& participant) {
    participant.report().line("stuck " + std::to_string(participant.iteration()));
    cudaSetDevice(participant.device());
    for (const std::string& kernel : launches().unfinished()) participant.report().line("kernel " + kernel);
  }

  std::mutex mutex_;
  std::vector<Participant*> participants_;
};

}  // namespace cuco::runner
