// The thread that delivers: it takes what other processes posted to this one, copies bytes and writes signals so that
// they are in place at their modelled times, and reports the end to the sender.
//
// A strong signal is submitted only when every earlier message of its domain has its bytes in place, or is sure to
// have them because the device carries both out in order.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "nic/delivery.h"
#include "nic/device.h"
#include "nic/directory.h"
#include "nic/recorder.h"
#include "nic/registry.h"
#include "nic/settings.h"

namespace cuco::nic {

class Courier {
 public:
  // A message for a receive; the function finds or waits for the buffer and hands the delivery back through deliver().
  using SendArrived = std::function<void(Delivery)>;

  Courier(const Settings& settings, Directory& directory, Device& device, Registry& registry, Recorder& recorder);
  ~Courier();
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  void start(SendArrived send_arrived, std::function<void()> housekeeping);
  void stop();

  // From any thread: a delivery that was not taken from a ring, or one whose buffer is known by now.
  void deliver(Delivery delivery);

  // A peer that was spoken to is gone without having left.
  bool is_lost(int member) const { return lost_[static_cast<size_t>(member)].load(std::memory_order_relaxed); }
  void watch(int member);

 private:
  void run();
  void round();
  void prepare_for_peers();
  void check_processors();
  const std::byte* bounce_on_device(int member);
  void take_messages();
  void take_inbox();
  void advance(size_t index, int64_t now);
  bool resolve(Delivery& delivery);
  bool resolve_source(Delivery& delivery);
  void resolve_bounce(Delivery& delivery);
  bool resolve_target(Delivery& delivery);
  bool resolve_signal(Delivery& delivery);
  void issue_data(Delivery& delivery, int64_t now, bool may_signal);
  void issue_signal(size_t index, int64_t now);
  bool earlier_messages_landed(size_t index);
  bool is_complete(Delivery& delivery, int64_t now);
  void drop_finished_tickets(Delivery& delivery);
  void finish(Delivery& delivery);
  void check_peers();

  const Settings& settings_;
  Directory& directory_;
  Device& device_;
  Registry& registry_;
  Recorder& recorder_;
  SendArrived send_arrived_;
  std::function<void()> housekeeping_;
  std::thread thread_;
  std::atomic<bool> stopping_{false};
  std::mutex inbox_mutex_;
  std::vector<Delivery> inbox_;
  std::atomic<bool> inbox_filled_{false};
  std::vector<Delivery> open_;  // In the order of posting.

  // Bounce areas of others as the device reads them.
  struct BounceView {
    bool asked = false;
    const std::byte* on_device = nullptr;
  };
  std::array<BounceView, kMembersMax> bounce_views_{};
  std::atomic<uint64_t> bounce_wanted_{0};  // Bit i: that of member i is to be pinned.
  std::array<std::atomic<bool>, kMembersMax> lost_{};
  std::array<std::atomic<uint64_t>, kMembersMax> watched_{};  // Incarnation; 0: not watched.
  int64_t peers_checked_ns_ = 0;
  int processes_checked_ = 0;  // Of the session, when their processors were last counted.
};

}  // namespace cuco::nic
