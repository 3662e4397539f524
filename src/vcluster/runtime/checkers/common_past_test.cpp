#include "vcluster/runtime/checkers/common_past.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

class CommonPastTest : public ::testing::Test {
 protected:
  uint32_t add(ActorKind kind, const void* stream) { return actors.add(kind, stream, 0, "actor"); }
  ClockPtr knows_stream_of(uint32_t id) const { return raised(nullptr, actors.stream_key(id), actors[id].sequence); }
  static ClockPtr knows_whole(uint32_t id) { return raised(nullptr, key_of(Component::Whole, id), 1); }

  Actors actors;
  int one = 0, other = 0;  // Streams.
};

TEST_F(CommonPastTest, HasWhatEveryViewpointKnows) {
  uint32_t early = add(ActorKind::Operation, &one), late = add(ActorKind::Operation, &one);
  CommonPast past(actors, {knows_stream_of(early), knows_stream_of(late)});
  EXPECT_TRUE(past.has(early));
  EXPECT_FALSE(past.has(late));
}

TEST_F(CommonPastTest, HasNothingWhileSomebodyKnowsNothing) {
  uint32_t operation = add(ActorKind::Operation, &one);
  EXPECT_FALSE(CommonPast(actors, {knows_stream_of(operation), nullptr}).has(operation));
  EXPECT_FALSE(CommonPast(actors, {}).has(operation));
}

TEST_F(CommonPastTest, HasAPutThatSomeKnowByItsLaneAndOthersByItself) {
  uint32_t put = add(ActorKind::PutTarget, &one);
  EXPECT_TRUE(CommonPast(actors, {knows_stream_of(put), knows_whole(put)}).has(put));
}

TEST_F(CommonPastTest, HasAPutsSourceWhereItsArrivalIsKnown) {
  uint32_t target = add(ActorKind::PutTarget, &one), source = add(ActorKind::PutSource, &other);
  actors[source].arrival = target;
  EXPECT_TRUE(CommonPast(actors, {knows_whole(target), knows_whole(source)}).has(source));
  EXPECT_FALSE(CommonPast(actors, {knows_whole(target), knows_whole(source)}).has(target));
}

// A moment of a kernel is not its end.
TEST_F(CommonPastTest, HasNoKernelThatIsKnownByAMoment) {
  uint32_t kernel = add(ActorKind::Kernel, &one);
  EXPECT_FALSE(CommonPast(actors, {knows_whole(kernel)}).has(kernel));
  EXPECT_TRUE(CommonPast(actors, {knows_stream_of(kernel)}).has(kernel));
}

TEST_F(CommonPastTest, CoversClocksThatTellNobodyAnything) {
  uint32_t early = add(ActorKind::Operation, &one), late = add(ActorKind::Operation, &one),
           kernel = add(ActorKind::Kernel, &other);
  CommonPast past(actors, {joined(knows_stream_of(early), knows_stream_of(kernel))});
  EXPECT_TRUE(past.covers(nullptr));
  EXPECT_TRUE(past.covers(raised(knows_stream_of(early), key_of(Component::Thread, kernel, 7), 3)));
  EXPECT_FALSE(past.covers(knows_stream_of(late)));
}

TEST_F(CommonPastTest, RetiredActorIsKnownToEveryClockAndNamedByNone) {
  uint32_t put = add(ActorKind::PutTarget, &one), other_put = add(ActorKind::PutTarget, &one);
  ClockPtr both = joined(knows_whole(put), knows_whole(other_put));
  actors.retire(put);
  EXPECT_TRUE(actors.is_known(VectorClock(), {put, 0, 1, 0}));
  EXPECT_FALSE(actors.is_known(VectorClock(), {other_put, 0, 1, 0}));
  EXPECT_EQ(actors.pruned(both)->size(), 1u);
  EXPECT_TRUE(CommonPast(actors, {nullptr}).has(put));
}

}  // namespace
}  // namespace cuco::vcluster
