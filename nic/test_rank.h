// A rank of a test: an emulated NIC on a device of plain memory. Several of them in one process talk to each other as
// processes do.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <functional>
#include <memory>

#include "nic/adapter.h"
#include "nic/clock.h"
#include "nic/host_device.h"
#include "nic/net.h"
#include "nic/rma.h"

namespace cuco::nic {

inline Settings test_settings(const char* name) {
  Settings settings;
  settings.session = concat(name, ".", std::to_string(getpid()));
  settings.node = "node0";
  settings.notice_ns = 0;
  settings.link = {.bytes_per_ns = 12.5, .latency_ns = 20'000, .gap_ns = 0};
  return settings;
}

struct TestRank {
  explicit TestRank(const Settings& settings, std::unique_ptr<HostDevice> owned = std::make_unique<HostDevice>()) {
    device = owned.get();
    adapter = *Adapter::open(settings, std::move(owned));
    net = std::make_unique<Net>(*adapter);
    adapter->start([this](Delivery delivery) { net->arrived(std::move(delivery)); });
  }
  ~TestRank() { adapter->courier().stop(); }

  // Waits at most five seconds.
  Progress wait(const Request& request) {
    const int64_t until = now_ns() + 5'000'000'000;
    Progress progress = Progress::Open;
    while (progress == Progress::Open && now_ns() < until) {
      progress = adapter->progress(request);
      sched_yield();
    }
    return progress;
  }

  HostDevice* device;
  std::unique_ptr<Adapter> adapter;
  std::unique_ptr<Net> net;
};

inline bool wait_until(const std::function<bool()>& condition) {
  const int64_t until = now_ns() + 5'000'000'000;
  while (!condition() && now_ns() < until) usleep(10);
  return condition();
}

// One group over all ranks; registrations of the ranks run side by side, as they do in NCCL.
struct TestGroup {
  explicit TestGroup(const std::vector<TestRank*>& ranks) {
    std::vector<Handle> handles;
    for (TestRank* rank : ranks) handles.push_back(make_group_handle(*rank->adapter));
    for (size_t i = 0; i < ranks.size(); ++i)
      groups.push_back(*Group::connect(*ranks[i]->adapter, handles, static_cast<int>(i)));
  }

  std::vector<std::unique_ptr<Group>> groups;
};

}  // namespace cuco::nic
