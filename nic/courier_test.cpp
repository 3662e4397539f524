#include "nic/courier.h"

#include <gtest/gtest.h>

#include <cstring>

#include "nic/test_rank.h"

namespace cuco::nic {
namespace {

// Small moves are carried out at once and in order, as by the engine; large ones when the test says so, as by copies of
// the driver that take their time.
class HeldDevice : public HostDevice {
 public:
  std::optional<Ticket> submit(const Move& move) override {
    const std::lock_guard lock(mutex_);
    if (refusals_ > 0 && refusals_--) return std::nullopt;
    if (!is_small(move)) {
      held_.push_back(move);
      return Ticket{false, ++submitted_};
    }
    HostDevice::submit(move);
    return Ticket{true, 0};
  }
  bool is_finished(const Ticket& ticket) override {
    const std::lock_guard lock(mutex_);
    return ticket.in_order || ticket.number <= released_;
  }

  void release() {
    const std::lock_guard lock(mutex_);
    for (const Move& move : held_) HostDevice::submit(move);
    held_.clear();
    released_ = submitted_;
  }
  bool holds_moves() {
    const std::lock_guard lock(mutex_);
    return !held_.empty();
  }
  void refuse(int times) {
    const std::lock_guard lock(mutex_);
    refusals_ = times;
  }

 private:
  std::mutex mutex_;
  std::vector<Move> held_;
  uint64_t submitted_ = 0;
  uint64_t released_ = 0;
  int refusals_ = 0;
};

constexpr uint64_t kLarge = 20'000;

class CourierTest : public ::testing::Test {
 protected:
  CourierTest() : sender(test_settings("courier")), receiver(test_settings("courier"), make_device()) {
    window[0] = sender.device->allocate(1 << 20);
    window[1] = receiver.device->allocate(1 << 20);
    for (size_t r = 0; r < 2; ++r) {
      memory[r] = group.groups[r]->add_memory(window[r], 1 << 20, false);
      signal[r] = group.groups[r]->add_memory(words[r], sizeof(words[r]), false);
    }
    std::memset(window[0], 6, 1 << 20);
  }
  ~CourierTest() override {
    for (size_t r = 0; r < 2; ++r) {
      group.groups[r]->remove_memory(memory[r]);
      group.groups[r]->remove_memory(signal[r]);
    }
  }

  std::unique_ptr<HostDevice> make_device() {
    auto made = std::make_unique<HeldDevice>();
    device = made.get();
    return made;
  }
  std::unique_ptr<Request> put(uint64_t bytes, const Signal& with, uint32_t domain = 1) {
    return group.groups[0]->put(domain, 1, {memory[0], 0}, {memory[1], 0}, bytes, with);
  }
  Signal raise(int index, bool strong) const { return {signal[0], index * sizeof(uint64_t), 1, strong}; }
  uint64_t value(int index) const { return __atomic_load_n(&words[1][index], __ATOMIC_ACQUIRE); }

  HeldDevice* device = nullptr;
  TestRank sender;
  TestRank receiver;
  TestGroup group{{&sender, &receiver}};
  std::byte* window[2];
  uint64_t words[2][4] = {};
  GroupMemory* memory[2];
  GroupMemory* signal[2];
};

TEST_F(CourierTest, StrongSignalWaitsForCopiesOfEarlierPuts) {
  const auto first = put(kLarge, {});
  const auto second = put(8, raise(0, true));
  ASSERT_TRUE(wait_until([&] { return device->holds_moves(); }));
  usleep(2'000);
  EXPECT_EQ(value(0), 0u);
  device->release();
  EXPECT_TRUE(wait_until([&] { return value(0) == 1; }));
  EXPECT_EQ(std::memcmp(window[1], window[0], kLarge), 0);
  EXPECT_EQ(sender.wait(*first), Progress::Done);
  EXPECT_EQ(sender.wait(*second), Progress::Done);
}

TEST_F(CourierTest, WeakSignalWaitsForItsOwnPutOnly) {
  const auto first = put(kLarge, {});
  const auto second = put(8, raise(0, false));
  EXPECT_TRUE(wait_until([&] { return value(0) == 1; }));
  EXPECT_TRUE(device->holds_moves());
  EXPECT_EQ(sender.adapter->progress(*first), Progress::Open);
  device->release();
  EXPECT_EQ(sender.wait(*first), Progress::Done);
}

TEST_F(CourierTest, StrongSignalOfAnotherDomainDoesNotWait) {
  const auto first = put(kLarge, {}, 1);
  const auto second = put(8, raise(0, true), 2);
  EXPECT_TRUE(wait_until([&] { return value(0) == 1; }));
  device->release();
  EXPECT_EQ(sender.wait(*first), Progress::Done);
}

TEST_F(CourierTest, SignalWaitsForTheCopiesOfItsOwnPut) {
  const auto request = put(kLarge, raise(1, false));
  ASSERT_TRUE(wait_until([&] { return device->holds_moves(); }));
  usleep(2'000);
  EXPECT_EQ(value(1), 0u);
  device->release();
  EXPECT_TRUE(wait_until([&] { return value(1) == 1; }));
  EXPECT_EQ(sender.wait(*request), Progress::Done);
}

TEST_F(CourierTest, DeviceThatIsNotReadyIsAskedAgain) {
  device->refuse(5);
  const auto request = put(8, raise(2, true));
  EXPECT_TRUE(wait_until([&] { return value(2) == 1; }));
  EXPECT_EQ(sender.wait(*request), Progress::Done);
}

TEST_F(CourierTest, PutThatComesBeforeItsTargetIsRegisteredWaitsForIt) {
  std::byte* late = sender.device->allocate(4'096);
  GroupMemory* mine = group.groups[0]->add_memory(late, 4'096, false);
  const auto request = group.groups[0]->put(1, 1, {memory[0], 0}, {mine, 0}, 64, raise(3, true));
  usleep(2'000);
  EXPECT_EQ(value(3), 0u);
  std::byte* target = receiver.device->allocate(4'096);
  GroupMemory* theirs = group.groups[1]->add_memory(target, 4'096, false);
  EXPECT_TRUE(wait_until([&] { return value(3) == 1; }));
  EXPECT_EQ(std::memcmp(target, window[0], 64), 0);
  EXPECT_EQ(sender.wait(*request), Progress::Done);
  group.groups[0]->remove_memory(mine);
  group.groups[1]->remove_memory(theirs);
}

}  // namespace
}  // namespace cuco::nic
