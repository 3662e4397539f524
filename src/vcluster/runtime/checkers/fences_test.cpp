#include "vcluster/runtime/checkers/fences.h"

#include <gtest/gtest.h>

#include "vcluster/runtime/checkers/actors.h"

namespace cuco::vcluster {
namespace {

const uint64_t kData = key_of(Component::Thread, 7, 0);

// A thread that wrote data, fenced with the scope and stored a flag.
Released flag_behind(AccessScope scope) {
  ThreadClock writer;
  writer.known = raised(nullptr, kData, 3);
  writer.fence(scope);
  Released flag;
  writer.release_into(flag);
  return flag;
}

uint32_t known_after(const Released& flag, bool same_device, AccessScope fence) {
  ThreadClock reader;
  reader.known = std::make_shared<VectorClock>();
  reader.see(flag, same_device, false);
  reader.fence(fence);
  return reader.known->at(kData);
}

TEST(Fences, SystemFencesOnBothSidesOrderAcrossDevices) {
  EXPECT_EQ(known_after(flag_behind(AccessScope::System), false, AccessScope::System), 3u);
}
TEST(Fences, DeviceFenceSaysNothingToAnotherDevice) {
  EXPECT_EQ(known_after(flag_behind(AccessScope::Device), false, AccessScope::System), 0u);
  EXPECT_EQ(known_after(flag_behind(AccessScope::Device), true, AccessScope::Device), 3u);
}
TEST(Fences, SeeingWithoutAFenceAcquiresNothing) {
  ThreadClock reader;
  reader.known = std::make_shared<VectorClock>();
  reader.see(flag_behind(AccessScope::System), false, false);
  EXPECT_EQ(reader.known->at(kData), 0u);
}

TEST(VectorClock, JoinKeepsTheLargerOfEachComponent) {
  VectorClock a, b;
  a.raise(1, 5), a.raise(2, 1);
  b.raise(2, 4), b.raise(3, 2);
  a.join(b);
  EXPECT_EQ(a.at(1), 5u);
  EXPECT_EQ(a.at(2), 4u);
  EXPECT_EQ(a.at(3), 2u);
  EXPECT_TRUE(a.covers(b));
  EXPECT_FALSE(b.covers(a));
}

TEST(Actors, LaterOperationOfAStreamImpliesTheEarlierOnes) {
  Actors actors;
  int stream = 0, other = 0;
  uint32_t first = actors.add(ActorKind::Operation, &stream, 0, "a copy");
  uint32_t second = actors.add(ActorKind::Operation, &stream, 0, "a copy");
  uint32_t elsewhere = actors.add(ActorKind::Operation, &other, 0, "a copy");
  VectorClock clock;
  clock.raise(actors.stream_key(second), actors[second].sequence);
  EXPECT_TRUE(actors.is_known(clock, {first, 0, 1, 0}));
  EXPECT_FALSE(actors.is_known(clock, {elsewhere, 0, 1, 0}));
}

}  // namespace
}  // namespace cuco::vcluster
