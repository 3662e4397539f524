#include "nic/link_model.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace cuco::nic {
namespace {

constexpr Link kLink{.bytes_per_ns = 10, .latency_ns = 1'000, .gap_ns = 0};

TEST(LinkModel, LoneMessageTakesLatencyAndSerialisation) {
  NicLines a, b;
  const Passage passage = pass_message(kLink, a, b, 500, 10'000);
  EXPECT_EQ(passage.start_ns, 500);
  EXPECT_EQ(passage.arrival_ns, 500 + 1'000 + 1'000);
  EXPECT_EQ(passage.completion_ns, passage.arrival_ns + 1'000);
}

TEST(LinkModel, MessagesQueueOnTheTransmitLine) {
  NicLines a, b, c;
  pass_message(kLink, a, b, 0, 10'000);
  const Passage second = pass_message(kLink, a, c, 0, 10'000);
  EXPECT_EQ(second.start_ns, 1'000);
  EXPECT_EQ(second.arrival_ns, 3'000);
}

TEST(LinkModel, BackToBackMessagesReachFullBandwidth) {
  NicLines a, b;
  Passage last{};
  for (int i = 0; i < 100; ++i) last = pass_message(kLink, a, b, 0, 10'000);
  EXPECT_EQ(last.arrival_ns, 1'000 + 100 * 1'000);
}

TEST(LinkModel, IncastSharesTheReceiveLine) {
  std::array<NicLines, 4> nics;
  Passage last{};
  for (size_t from = 1; from < 4; ++from) last = pass_message(kLink, nics[from], nics[0], 0, 10'000);
  EXPECT_EQ(last.start_ns, 0);
  EXPECT_EQ(last.arrival_ns, 1'000 + 3 * 1'000);
}

TEST(LinkModel, RingRunsAtFullRateEverywhere) {
  std::array<NicLines, 4> nics;
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(pass_message(kLink, nics[i], nics[(i + 1) % 4], 0, 10'000).arrival_ns, 2'000);
}

TEST(LinkModel, DirectionsDoNotDisturbEachOther) {
  NicLines a, b;
  EXPECT_EQ(pass_message(kLink, a, b, 0, 10'000).arrival_ns, pass_message(kLink, b, a, 0, 10'000).arrival_ns);
}

TEST(LinkModel, GapBoundsTheRateOfSmallMessages) {
  Link link = kLink;
  link.gap_ns = 300;
  NicLines a, b;
  EXPECT_EQ(pass_message(link, a, b, 0, 8).start_ns, 0);
  EXPECT_EQ(pass_message(link, a, b, 0, 8).start_ns, 300);
  EXPECT_EQ(pass_message(link, a, b, 0, 10'000).start_ns, 600);
  EXPECT_EQ(pass_message(link, a, b, 0, 8).start_ns, 1'600);
}

TEST(LinkModel, GetPaysLatencyTwiceAndUsesTheOwnersTransmitLine) {
  NicLines reader, owner;
  const Passage passage = pass_get(kLink, reader, owner, 0, 10'000);
  EXPECT_EQ(passage.arrival_ns, 3'000);
  EXPECT_EQ(owner.transmit_free_ns.load(), 2'000);
  EXPECT_EQ(reader.transmit_free_ns.load(), 0);
  EXPECT_EQ(reader.receive_free_ns.load(), 3'000);
}

TEST(LinkModel, ReservationsOfThreadsNeverOverlap) {
  std::atomic<int64_t> line{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) reserve_line(line, 0, 7);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(line.load(), 4 * 10'000 * 7);
}

}  // namespace
}  // namespace cuco::nic
