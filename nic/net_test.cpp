#include "nic/net.h"

#include <gtest/gtest.h>

#include <cstring>

#include "nic/test_rank.h"

namespace cuco::nic {
namespace {

class NetTest : public ::testing::Test {
 protected:
  NetTest() : left(test_settings("net")), right(test_settings("net")) {
    Handle handle = {};
    receiver = *right.net->listen(handle);
    EXPECT_FALSE(right.net->accept(*receiver));
    sender = *left.net->connect(handle);
    stale = handle;
    EXPECT_TRUE(right.net->accept(*receiver));
    from = left.device->allocate(kBytes);
    to = right.device->allocate(kBytes);
    const uint64_t readers = uint64_t{1} << right.adapter->directory().self();
    memory = left.adapter->registry().add(2, from, kBytes, false, readers);
  }

  static constexpr size_t kBytes = 2 << 20;
  TestRank left;
  TestRank right;
  std::shared_ptr<Receiver> receiver;
  Sender sender{};
  Handle stale{};
  std::byte* from;
  std::byte* to;
  LocalMemory memory;
};

TEST_F(NetTest, MessageFillsThePostedReceive) {
  std::memset(from, 3, kBytes);
  const auto received = receiver->receive(to, kBytes, false);
  const auto sent = left.net->send(sender, {memory, 0}, 100'000);
  EXPECT_EQ(right.wait(*received), Progress::Done);
  EXPECT_EQ(received->local.front()->bytes, 100'000u);
  EXPECT_EQ(std::memcmp(to, from, 100'000), 0);
  EXPECT_EQ(to[100'000], std::byte{0});
  EXPECT_EQ(left.wait(*sent), Progress::Done);
}

TEST_F(NetTest, MessageWaitsForItsReceive) {
  const auto sent = left.net->send(sender, {memory, 0}, 64);
  usleep(2'000);
  EXPECT_EQ(left.adapter->progress(*sent), Progress::Open);
  const auto received = receiver->receive(to, kBytes, false);
  EXPECT_EQ(right.wait(*received), Progress::Done);
  EXPECT_EQ(left.wait(*sent), Progress::Done);
}

TEST_F(NetTest, MessageThatWaitedForItsReceiveIsNotLate) {
  const auto sent = left.net->send(sender, {memory, 0}, 64);
  usleep(50'000);
  const auto received = receiver->receive(to, kBytes, false);
  EXPECT_EQ(right.wait(*received), Progress::Done);
  Directory& directory = right.adapter->directory();
  EXPECT_LT(directory.nic_of(directory.self()).counters.late_ns_max, 40'000'000);
}

TEST_F(NetTest, MessagesKeepTheirOrder) {
  for (size_t i = 0; i < 200; ++i) from[i * 64] = static_cast<std::byte>(i);
  std::vector<std::unique_ptr<Request>> open;
  for (size_t i = 0; i < 200; ++i) {
    open.push_back(receiver->receive(to + i * 64, 64, false));
    open.push_back(left.net->send(sender, {memory, i * 64}, 64));
  }
  for (const auto& request : open) EXPECT_EQ(right.wait(*request), Progress::Done);
  for (size_t i = 0; i < 200; ++i) EXPECT_EQ(to[i * 64], static_cast<std::byte>(i));
}

class LongSends : public NetTest {
 protected:
  static constexpr size_t kLong = 3 * kBounceBlocks * kBounceBlockBytes / 2 + 4321;

  LongSends() : data(kLong), host(left.adapter->registry().add(6, data.data(), data.size(), true, 0)) {
    for (size_t i = 0; i < kLong; ++i) data[i] = static_cast<std::byte>(i / 997);
  }

  // As NCCL does.
  std::unique_ptr<Request> send_until_posted(uint64_t bytes) {
    for (int i = 0; i < 20'000; ++i) {
      if (auto request = left.net->send(sender, {host, 0}, bytes)) return request;
      usleep(100);
    }
    return nullptr;
  }

  std::vector<std::byte> data;
  LocalMemory host;
};

TEST_F(LongSends, LargerThanTheBounceAreaArriveWhole) {
  std::byte* target = right.device->allocate(kLong);
  for (int round = 0; round < 2; ++round) {
    std::memset(target, 0, kLong);
    const auto received = receiver->receive(target, kLong, false);
    const auto behind = receiver->receive(to, kBytes, false);
    const auto sent = send_until_posted(kLong);
    ASSERT_TRUE(sent);
    const auto next = left.net->send(sender, {memory, 0}, 64);
    EXPECT_EQ(right.wait(*received), Progress::Done);
    EXPECT_EQ(received->local.front()->bytes, kLong);
    EXPECT_EQ(std::memcmp(target, data.data(), kLong), 0);
    EXPECT_EQ(right.wait(*behind), Progress::Done);
    EXPECT_EQ(behind->local.front()->bytes, 64u);
    EXPECT_EQ(left.wait(*sent), Progress::Done);
    EXPECT_EQ(left.wait(*next), Progress::Done);
  }
}

TEST_F(LongSends, LargerThanTheirReceiveFail) {
  const auto received = receiver->receive(to, kBytes, false);
  const auto sent = send_until_posted(kBytes + 1);
  ASSERT_TRUE(sent);
  EXPECT_EQ(right.wait(*received), Progress::Failed);
  EXPECT_EQ(left.wait(*sent), Progress::Failed);
}

TEST_F(NetTest, HostMemoryGoesThroughTheBounceArea) {
  std::vector<std::byte> data(300'000, std::byte{8});
  const LocalMemory host = left.adapter->registry().add(4, data.data(), data.size(), true, 0);
  const auto received = receiver->receive(to, kBytes, false);
  const auto sent = left.net->send(sender, {host, 0}, data.size());
  std::fill(data.begin(), data.end(), std::byte{0});
  EXPECT_EQ(right.wait(*received), Progress::Done);
  EXPECT_EQ(to[0], std::byte{8});
  EXPECT_EQ(to[299'999], std::byte{8});
  EXPECT_EQ(left.wait(*sent), Progress::Done);
}

TEST_F(NetTest, SendComesBackEmptyHandedWhileTheBounceAreaIsFull) {
  std::vector<std::byte> data(3 << 20);
  const LocalMemory host = left.adapter->registry().add(4, data.data(), data.size(), true, 0);
  EXPECT_TRUE(left.net->send(sender, {host, 0}, data.size()));
  EXPECT_TRUE(left.net->send(sender, {host, 0}, data.size()));
  EXPECT_FALSE(left.net->send(sender, {host, 0}, data.size()));
}

TEST_F(NetTest, MessageLongerThanItsReceiveFails) {
  const auto received = receiver->receive(to, 16, false);
  const auto sent = left.net->send(sender, {memory, 0}, 64);
  EXPECT_EQ(right.wait(*received), Progress::Failed);
  EXPECT_EQ(left.wait(*sent), Progress::Failed);
}

TEST_F(NetTest, StaleHandleIsRefused) {
  right.net->close(*receiver);
  Handle again = {};
  receiver = *right.net->listen(again);
  ASSERT_EQ(again.connection, stale.connection);
  EXPECT_FALSE(left.net->connect(stale));
  EXPECT_TRUE(left.net->connect(again));
}

}  // namespace
}  // namespace cuco::nic
