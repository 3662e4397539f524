#include "vcluster/runtime/checkers/actors.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

constexpr uint32_t kThreads = 40;  // Two warps, the second of eight threads.

class Kernel : public ::testing::Test {
 protected:
  Kernel() : id(actors.add(ActorKind::Kernel, this, 0, "kernel")) { actors[id].threads_per_block = kThreads; }
  Epoch epoch(uint32_t block, uint32_t thread) const { return {id, block * kThreads + thread, 3, 0}; }

  Actors actors;
  uint32_t id;
  VectorClock clock;
};

TEST_F(Kernel, WarpComponentSpeaksForItsThreadsOnly) {
  clock.raise(actors.warp_key(epoch(1, 35)), 3);
  EXPECT_TRUE(actors.is_known(clock, epoch(1, 39)));
  EXPECT_FALSE(actors.is_known(clock, epoch(1, 31)));
  EXPECT_FALSE(actors.is_known(clock, epoch(2, 35)));
}

TEST_F(Kernel, BlockIsKnownByThreadWhenOnlyPartsOfItAre) {
  EXPECT_EQ(actors.is_block_known(clock, epoch(1, 0)), Actors::Answer::No);
  clock.raise(key_of(Component::Thread, id, epoch(1, 7).thread), 3);
  EXPECT_EQ(actors.is_block_known(clock, epoch(1, 0)), Actors::Answer::ByThread);
  EXPECT_EQ(actors.is_block_known(clock, epoch(2, 0)), Actors::Answer::No);
  clock.raise(actors.block_key(epoch(1, 0)), 3);
  EXPECT_EQ(actors.is_block_known(clock, epoch(1, 0)), Actors::Answer::Yes);
}

TEST_F(Kernel, VeryManyKnownPartsBecomeTheWhole) {
  for (uint32_t thread = 0; thread <= VectorClock::kSizeMax; thread++)
    clock.raise(key_of(Component::Thread, id, thread), 3);
  EXPECT_LE(clock.size(), VectorClock::kSizeMax);
  EXPECT_TRUE(actors.is_known(clock, epoch(90, 0)));
}

TEST_F(Kernel, FewPartsOfManyKernelsAreKept) {
  for (uint32_t kernel = 0; kernel <= 2 * VectorClock::kSizeMax; kernel++)
    clock.raise(key_of(Component::Block, kernel, 5), 3);
  EXPECT_EQ(clock.size(), 2 * VectorClock::kSizeMax + 1);
}

TEST_F(Kernel, PartsBecomeTheWholeInAClockThatStayedLarge) {
  for (uint32_t kernel = 0; kernel <= VectorClock::kSizeMax; kernel++)
    clock.raise(key_of(Component::Block, 1000 + kernel, 5), 3);
  for (uint32_t thread = 0; thread <= 2 * VectorClock::kSizeMax; thread++)
    clock.raise(key_of(Component::Thread, id, thread), 3);
  EXPECT_LE(clock.size(), 2 * VectorClock::kSizeMax + 2);
  EXPECT_TRUE(actors.is_known(clock, epoch(90, 0)));
}

TEST_F(Kernel, PartsAreForgottenOnceTheStreamIsKnownUpToTheKernel) {
  uint32_t next = actors.add(ActorKind::Kernel, this, 0, "next");
  actors[next].threads_per_block = kThreads;
  clock.raise(actors.block_key(epoch(1, 0)), 3);
  clock.raise(key_of(Component::Block, next, 1), 3);
  EXPECT_EQ(actors.pruned(std::make_shared<VectorClock>(clock))->size(), 2u);
  clock.raise(actors.stream_key(id), actors[id].sequence);
  ClockPtr pruned = actors.pruned(std::make_shared<VectorClock>(clock));
  EXPECT_EQ(pruned->size(), 2u) << "the stream and the block of the next kernel";
  EXPECT_TRUE(actors.is_known(*pruned, epoch(1, 0)));
  EXPECT_EQ(actors.is_block_known(*pruned, {next, kThreads, 3, 0}), Actors::Answer::Yes);
}

TEST_F(Kernel, ManyStreamsAreKeptApart) {
  for (uint32_t stream = 0; stream <= VectorClock::kSizeMax; stream++)
    clock.raise(key_of(Component::Stream, stream), 1);
  EXPECT_EQ(clock.size(), VectorClock::kSizeMax + 1);
}

}  // namespace
}  // namespace cuco::vcluster
