#include "vcluster/runtime/timing/links.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

model::Link link() {
  model::Link roce;
  roce.gb_per_s = 10;
  roce.messages_m_per_s = 1;
  return roce;
}

TEST(LinkQueue, SendsOneMessageAfterTheOther) {
  LinkQueue queue;
  EXPECT_EQ(queue.send(0, link(), 1e6).end, 100 * kMicrosecond);
  LinkQueue::Sending second = queue.send(20 * kMicrosecond, link(), 1e6);
  EXPECT_EQ(second.begin, 100 * kMicrosecond);
  EXPECT_EQ(second.end, 200 * kMicrosecond);
}

TEST(LinkQueue, KeepsToTheMessageRate) {
  LinkQueue queue;
  for (int i = 0; i < 9; i++) queue.send(0, link(), 8);
  EXPECT_EQ(queue.send(0, link(), 8).end, 10 * kMicrosecond);
}

TEST(LinkQueue, PassesLoadsAndStoresAtItsBandwidth) {
  LinkQueue queue;
  for (int i = 0; i < 9; i++) queue.pass(0, link(), 10);
  EXPECT_EQ(queue.pass(0, link(), 10).end, 10 * kNanosecond);
}

TEST(LinkQueue, IsIdleAfterItsLastMessage) {
  LinkQueue queue;
  queue.send(0, link(), 8);
  EXPECT_EQ(queue.send(kSecond, link(), 8).begin, kSecond);
}

}  // namespace
}  // namespace cuco::vcluster
