#include "nic/ring.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace cuco::nic {
namespace {

Message message(uint64_t bytes) {
  Message made = {};
  made.bytes = bytes;
  return made;
}

TEST(NicRing, TakesMessagesInOrder) {
  auto ring = std::make_unique<Ring>();
  EXPECT_FALSE(take_message(*ring));
  post_message(*ring, message(1));
  post_message(*ring, message(2));
  EXPECT_EQ(take_message(*ring)->entry->message.bytes, 1u);
  EXPECT_EQ(take_message(*ring)->entry->message.bytes, 2u);
  EXPECT_FALSE(take_message(*ring));
}

TEST(NicRing, IsFullUntilTheOldestMessageIsDone) {
  auto ring = std::make_unique<Ring>();
  for (uint64_t i = 0; i < kRingEntries; ++i) ASSERT_TRUE(post_message(*ring, message(i)));
  EXPECT_FALSE(post_message(*ring, message(0)));
  const Posted first = *take_message(*ring);
  const Posted second = *take_message(*ring);
  finish_message(second, false);
  EXPECT_FALSE(post_message(*ring, message(0)));
  finish_message(first, false);
  EXPECT_TRUE(post_message(*ring, message(0)));
}

TEST(NicRing, DepthBoundsMessagesOnTheirWay) {
  auto ring = std::make_unique<Ring>();
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(post_message(*ring, message(1), 4));
  EXPECT_FALSE(post_message(*ring, message(1), 4));
  finish_message(*take_message(*ring), false);
  EXPECT_TRUE(post_message(*ring, message(1), 4));
}

TEST(NicRing, FinishedMessageStaysFinishedWhenItsEntryIsUsedAgain) {
  auto ring = std::make_unique<Ring>();
  const Posted first = *post_message(*ring, message(1));
  for (uint64_t i = 0; i < kRingEntries; ++i) {
    finish_message(*take_message(*ring), false);
    post_message(*ring, message(2));
  }
  EXPECT_TRUE(is_finished(first));
  EXPECT_FALSE(has_failed(first));
}

TEST(NicRing, FailureBelongsToOneMessage) {
  auto ring = std::make_unique<Ring>();
  const Posted first = *post_message(*ring, message(1));
  const Posted second = *post_message(*ring, message(2));
  finish_message(*take_message(*ring), true);
  finish_message(*take_message(*ring), false);
  EXPECT_TRUE(has_failed(first));
  EXPECT_FALSE(has_failed(second));
}

TEST(NicRing, UnreadMessagesOfAPredecessorCountAsFailed) {
  auto ring = std::make_unique<Ring>();
  const Posted posted = *post_message(*ring, message(1));
  skip_unread(*ring);
  EXPECT_TRUE(is_finished(posted));
  EXPECT_TRUE(has_failed(posted));
  EXPECT_TRUE(post_message(*ring, message(2)));
  EXPECT_EQ(take_message(*ring)->entry->message.bytes, 2u);
}

TEST(NicRing, WriterThatDiedBeforeCountingIsMadeGood) {
  auto ring = std::make_unique<Ring>();
  post_message(*ring, message(1));
  ring->written.store(0);
  take_message(*ring);
  skip_unwritten(*ring);
  post_message(*ring, message(2));
  EXPECT_EQ(take_message(*ring)->entry->message.bytes, 2u);
}

TEST(NicRing, CarriesMessagesBetweenThreads) {
  auto ring = std::make_unique<Ring>();
  constexpr uint64_t kCount = 50'000;
  std::thread writer([&] {
    for (uint64_t i = 0; i < kCount;)
      if (post_message(*ring, message(i))) ++i;
  });
  for (uint64_t i = 0; i < kCount;) {
    const auto posted = take_message(*ring);
    if (!posted) continue;
    ASSERT_EQ(posted->entry->message.bytes, i++);
    finish_message(*posted, false);
  }
  writer.join();
}

}  // namespace
}  // namespace cuco::nic
