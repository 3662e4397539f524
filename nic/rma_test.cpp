#include "nic/rma.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "nic/test_rank.h"

namespace cuco::nic {
namespace {

constexpr size_t kWindowBytes = 4 << 20;

uint64_t signal_value(const std::byte* signals, int index) {
  return __atomic_load_n(reinterpret_cast<const uint64_t*>(signals) + index, __ATOMIC_ACQUIRE);
}

// Two ranks with a window and signal words each. The signals cannot be exported, as those of NCCL.
class RmaTest : public ::testing::Test {
 protected:
  explicit RmaTest(const Settings& settings = test_settings("rma"))
      : ranks{std::make_unique<TestRank>(settings), std::make_unique<TestRank>(settings)},
        group({ranks[0].get(), ranks[1].get()}) {
    for (size_t r = 0; r < 2; ++r) {
      window[r] = ranks[r]->device->allocate(kWindowBytes);
      signals[r] = reinterpret_cast<std::byte*>(words[r]);
      memory[r] = group.groups[r]->add_memory(window[r], kWindowBytes, false);
      signal[r] = group.groups[r]->add_memory(signals[r], sizeof(words[r]), false);
      context[r] = std::make_unique<RmaContext>(*group.groups[r], 2);
    }
  }
  ~RmaTest() override {
    for (size_t r = 0; r < 2; ++r) {
      group.groups[r]->remove_memory(memory[r]);
      group.groups[r]->remove_memory(signal[r]);
    }
  }

  std::unique_ptr<Request> put(uint64_t from, uint64_t to, uint64_t bytes, const Signal& with = {}, int index = 0) {
    return group.groups[0]->put(context[0]->domain(index, 1), 1, {memory[0], from}, {memory[1], to}, bytes, with);
  }
  Signal strong(int index, uint64_t add = 1) const { return {signal[0], index * sizeof(uint64_t), add, true}; }

  std::unique_ptr<TestRank> ranks[2];
  TestGroup group;
  std::byte* window[2];
  uint64_t words[2][8] = {};
  std::byte* signals[2];
  GroupMemory* memory[2];
  GroupMemory* signal[2];
  std::unique_ptr<RmaContext> context[2];
};

TEST_F(RmaTest, PutArrivesWithItsSignal) {
  std::memset(window[0] + 100, 7, 5'000);
  const auto request = put(100, 300, 5'000, strong(2));
  EXPECT_TRUE(wait_until([&] { return signal_value(signals[1], 2) == 1; }));
  EXPECT_EQ(std::memcmp(window[1] + 300, window[0] + 100, 5'000), 0);
  EXPECT_EQ(window[1][299], std::byte{0});
  EXPECT_EQ(window[1][5'300], std::byte{0});
  EXPECT_EQ(ranks[0]->wait(*request), Progress::Done);
}

TEST_F(RmaTest, LargePutArrivesWhole) {
  for (size_t i = 0; i < kWindowBytes; ++i) window[0][i] = static_cast<std::byte>(i * 31 >> 8);
  const auto request = put(0, 0, kWindowBytes, strong(0));
  EXPECT_TRUE(wait_until([&] { return signal_value(signals[1], 0) == 1; }));
  EXPECT_EQ(std::memcmp(window[1], window[0], kWindowBytes), 0);
  EXPECT_EQ(ranks[0]->wait(*request), Progress::Done);
}

TEST_F(RmaTest, NothingArrivesBeforeItsTime) {
  const int64_t start = now_ns();
  const auto request = put(0, 0, 1 << 20, strong(0));
  ASSERT_TRUE(wait_until([&] { return signal_value(signals[1], 0) == 1; }));
  EXPECT_GE(now_ns() - start, 20'000 + (1 << 20) / 12.5 - 1'000);
  EXPECT_EQ(ranks[0]->wait(*request), Progress::Done);
  EXPECT_GE(now_ns() - start, 2 * 20'000 + (1 << 20) / 12.5 - 1'000);
}

TEST_F(RmaTest, SignalsAddUp) {
  std::vector<std::unique_ptr<Request>> requests;
  for (int i = 0; i < 500; ++i)
    requests.push_back(group.groups[0]->put(context[0]->domain(0, 1), 1, {}, {}, 0, strong(3, 2)));
  EXPECT_TRUE(wait_until([&] { return signal_value(signals[1], 3) == 1'000; }));
  for (const auto& request : requests) EXPECT_EQ(ranks[0]->wait(*request), Progress::Done);
}

TEST_F(RmaTest, ValueFromHostMemoryIsReadAtTheCall) {
  uint64_t value = 0x1122334455667788;
  GroupMemory* host = group.groups[0]->add_memory(&value, sizeof(value), true);
  GroupMemory* other = group.groups[1]->add_memory(words[1], sizeof(value), true);
  const auto request =
      group.groups[0]->put(context[0]->domain(0, 1), 1, {host, 0}, {memory[1], 64}, sizeof(value), strong(0));
  value = 0;
  EXPECT_TRUE(wait_until([&] { return signal_value(signals[1], 0) == 1; }));
  EXPECT_EQ(signal_value(window[1], 8), 0x1122334455667788u);
  EXPECT_EQ(ranks[0]->wait(*request), Progress::Done);
  group.groups[0]->remove_memory(host);
  group.groups[1]->remove_memory(other);
}

TEST_F(RmaTest, GetReadsThePeersWindow) {
  std::memset(window[1] + 512, 9, 10'000);
  auto request = group.groups[0]->get(1, {memory[1], 512}, {memory[0], 0}, 10'000);
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(ranks[0]->wait(**request), Progress::Done);
  EXPECT_EQ(std::memcmp(window[0], window[1] + 512, 10'000), 0);
}

TEST_F(RmaTest, RankPutsToItself) {
  std::memset(window[0], 5, 64);
  const auto request =
      group.groups[0]->put(context[0]->domain(0, 0), 0, {memory[0], 0}, {memory[0], 1'024}, 64, strong(1));
  EXPECT_TRUE(wait_until([&] { return signal_value(signals[0], 1) == 1; }));
  EXPECT_EQ(std::memcmp(window[0], window[0] + 1'024, 64), 0);
  EXPECT_EQ(ranks[0]->wait(*request), Progress::Done);
}

TEST_F(RmaTest, MemoryThatCannotBeExportedIsStaged) {
  std::vector<std::byte> plain(3 << 20);
  for (size_t i = 0; i < plain.size(); ++i) plain[i] = static_cast<std::byte>(i >> 9);
  GroupMemory* source = group.groups[0]->add_memory(plain.data(), plain.size(), false);
  const auto request =
      group.groups[0]->put(context[0]->domain(0, 1), 1, {source, 0}, {memory[1], 0}, plain.size(), strong(0));
  EXPECT_TRUE(wait_until([&] { return signal_value(signals[1], 0) == 1; }));
  EXPECT_EQ(std::memcmp(window[1], plain.data(), plain.size()), 0);
  EXPECT_EQ(ranks[0]->wait(*request), Progress::Done);
  EXPECT_EQ(ranks[0]->adapter->directory().nic_of(ranks[0]->adapter->directory().self()).counters.staged_messages, 3u);
  group.groups[0]->remove_memory(source);
}

TEST_F(RmaTest, BytesAndMessagesAreCounted) {
  const auto request = put(0, 0, 1'000, strong(0));
  ASSERT_EQ(ranks[0]->wait(*request), Progress::Done);
  Directory& sender = ranks[0]->adapter->directory();
  Directory& receiver = ranks[1]->adapter->directory();
  EXPECT_EQ(sender.nic_of(sender.self()).counters.sent_bytes, 1'000u);
  EXPECT_EQ(receiver.nic_of(receiver.self()).counters.received_bytes, 1'000u);
  EXPECT_EQ(receiver.nic_of(receiver.self()).counters.received_messages, 1u);
}

class ReorderingRmaTest : public RmaTest {
 protected:
  static Settings reordering() {
    Settings settings = test_settings("reordering");
    settings.faults = *parse_faults("reordered_puts,late_signals:seed=11");
    return settings;
  }
  ReorderingRmaTest() : RmaTest(reordering()) {}
};

TEST_F(ReorderingRmaTest, StrongSignalFollowsEveryEarlierPut) {
  std::memset(window[0], 1, kWindowBytes);
  std::vector<std::unique_ptr<Request>> requests;
  for (uint64_t i = 0; i < 100; ++i) requests.push_back(put(0, i * 1'000, 1'000));
  requests.push_back(group.groups[0]->put(context[0]->domain(0, 1), 1, {}, {}, 0, strong(0)));
  ASSERT_TRUE(wait_until([&] { return signal_value(signals[1], 0) == 1; }));
  EXPECT_EQ(std::memcmp(window[1], window[0], 100'000), 0);
  for (const auto& request : requests) EXPECT_EQ(ranks[0]->wait(*request), Progress::Done);
}

class DroppedRmaTest : public RmaTest {
 protected:
  static Settings dropping() {
    Settings settings = test_settings("dropping");
    settings.faults = *parse_faults("dropped_link");
    return settings;
  }
  DroppedRmaTest() : RmaTest(dropping()) {}
};

TEST_F(DroppedRmaTest, RequestsEndInAnErrorOnceTheLinkIsDown) {
  std::vector<std::unique_ptr<Request>> requests;
  for (int i = 0; i < 3'000; ++i) requests.push_back(put(0, 0, 8));
  EXPECT_EQ(ranks[0]->wait(*requests[500]), Progress::Done);
  EXPECT_EQ(ranks[0]->wait(*requests.back()), Progress::Failed);
}

class FullQueueRmaTest : public RmaTest {
 protected:
  static Settings narrow() {
    Settings settings = test_settings("narrow");
    settings.faults = *parse_faults("full_queue");
    return settings;
  }
  FullQueueRmaTest() : RmaTest(narrow()) {}
};

TEST_F(FullQueueRmaTest, CallerWaitsAndNothingIsLost) {
  const int64_t start = now_ns();
  std::vector<std::unique_ptr<Request>> requests;
  for (int i = 0; i < 40; ++i) requests.push_back(put(0, 0, 8, strong(0)));
  EXPECT_TRUE(wait_until([&] { return signal_value(signals[1], 0) == 40; }));
  EXPECT_GE(now_ns() - start, 10 * 20'000);  // Four at a time, each of them 20 us under way.
  for (const auto& request : requests) EXPECT_EQ(ranks[0]->wait(*request), Progress::Done);
}

TEST(RmaGroup, PeerThatLeftFailsRequestsInsteadOfHanging) {
  const Settings settings = test_settings("left");
  TestRank stays(settings);
  auto leaves = std::make_unique<TestRank>(settings);
  TestGroup group({&stays, leaves.get()});
  std::byte* window = stays.device->allocate(4'096);
  GroupMemory* memory = group.groups[0]->add_memory(window, 4'096, false);
  RmaContext context(*group.groups[0], 1);
  group.groups[1].reset();
  leaves.reset();
  const auto request = group.groups[0]->put(context.domain(0, 1), 1, {memory, 0}, {memory, 0}, 64, {});
  EXPECT_EQ(stays.wait(*request), Progress::Failed);
  group.groups[0]->remove_memory(memory);
}

TEST(RmaGroup, HandleOfAnotherLibraryIsRefused) {
  TestRank rank(test_settings("foreign"));
  const auto group = Group::connect(*rank.adapter, {make_group_handle(*rank.adapter), Handle{}}, 0);
  ASSERT_FALSE(group);
  EXPECT_NE(group.error().message.find("NCCL_NET_PLUGIN"), std::string::npos);
}

}  // namespace
}  // namespace cuco::nic
