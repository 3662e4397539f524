// Virtual time and the queue of what happens when. Events at the same instant run in the order they were added, so a
// run is a pure function of its inputs.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace cuco::vcluster {

using Time = int64_t;  // Picoseconds since the run began.

constexpr Time kNanosecond = 1'000;
constexpr Time kMicrosecond = 1'000'000;
constexpr Time kSecond = 1'000'000'000'000;

inline Time from_us(double us) { return static_cast<Time>(us * 1e6 + 0.5); }
inline double to_us(Time time) { return static_cast<double>(time) * 1e-6; }

class EventQueue {
 public:
  void at(Time time, std::function<void()> action) { events_.push({time, sequence_++, std::move(action)}); }
  bool empty() const { return events_.empty(); }

  // Advances the clock to the earliest event and runs it.
  void run_next() {
    Event event = std::move(const_cast<Event&>(events_.top()));
    events_.pop();
    if (event.time > now_) now_ = event.time;
    event.action();
  }

  Time now() const { return now_; }

 private:
  struct Event {
    Time time;
    uint64_t sequence;
    std::function<void()> action;
    bool operator<(const Event& other) const {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };

  std::priority_queue<Event> events_;
  uint64_t sequence_ = 0;
  Time now_ = 0;
};

}  // namespace cuco::vcluster
