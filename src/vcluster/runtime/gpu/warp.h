// Meetings of the lanes of one warp. A lane offers 8 bytes and leaves with everyone's offers once all lanes of its mask
// that still live have come.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace cuco::vcluster {

struct Meeting {
  unsigned mask = 0;
  unsigned arrived = 0;
  unsigned unread = 0;  // Lanes that may still look at the offers.
  bool open = false;
  uint64_t offers[32];
};

class Warp {
 public:
  void reset(unsigned lanes) {
    live_ = lanes;
    for (auto& meeting : meetings_) meeting->open = false, meeting->unread = 0;
  }

  // The meeting this lane joins by its offer. Complete when !open.
  Meeting* join(unsigned lane, unsigned mask, uint64_t offer) {
    Meeting* meeting = find_open(mask);
    meeting->arrived |= 1u << lane;
    meeting->offers[lane] = offer;
    close_if_complete(*meeting);
    return meeting;
  }
  static void leave(Meeting* meeting, unsigned lane) { meeting->unread &= ~(1u << lane); }

  // Tells of the meetings that the exit of a lane completes.
  template <typename OnClosed>
  void exit(unsigned lane, OnClosed on_closed) {
    live_ &= ~(1u << lane);
    for (auto& meeting : meetings_)
      if (meeting->open && close_if_complete(*meeting)) on_closed(*meeting);
  }
  unsigned live() const { return live_; }

 private:
  Meeting* find_open(unsigned mask) {
    Meeting* unused = nullptr;
    for (auto& meeting : meetings_) {
      if (meeting->open && meeting->mask == mask) return meeting.get();
      if (!meeting->open && meeting->unread == 0) unused = meeting.get();
    }
    if (!unused) unused = meetings_.emplace_back(std::make_unique<Meeting>()).get();
    unused->mask = mask, unused->arrived = 0, unused->open = true;
    return unused;
  }
  bool close_if_complete(Meeting& meeting) {
    if ((meeting.arrived & live_) != (meeting.mask & live_)) return false;
    meeting.open = false;
    meeting.unread = meeting.arrived & live_;
    return true;
  }

  unsigned live_ = 0;
  std::vector<std::unique_ptr<Meeting>> meetings_;
};

}  // namespace cuco::vcluster
