#include "model/collective_curve.h"

#include <gtest/gtest.h>

namespace cuco::model {
namespace {

const CollectiveCurve kCurve{Collective::AllGather, false, {1000, 3000, 7000}, {10, 14, 30}};

TEST(CollectiveCurve, GoesStraightBetweenItsPoints) {
  EXPECT_DOUBLE_EQ(time_us(kCurve, 1000), 10);
  EXPECT_DOUBLE_EQ(time_us(kCurve, 2000), 12);
  EXPECT_DOUBLE_EQ(time_us(kCurve, 3000), 14);
  EXPECT_DOUBLE_EQ(time_us(kCurve, 5000), 22);
}

TEST(CollectiveCurve, IsLevelBeforeItsFirstPointAndGoesOnAfterTheLast) {
  EXPECT_DOUBLE_EQ(time_us(kCurve, 0), 10);
  EXPECT_DOUBLE_EQ(time_us(kCurve, 11000), 46);
}

TEST(CollectiveCurve, OfOnePointIsLevel) { EXPECT_DOUBLE_EQ(time_us({Collective::Send, false, {8}, {5}}, 1e9), 5); }

TEST(CollectiveCurve, OfPlainBuffersStandsInForThatOfWindows) {
  std::vector<CollectiveCurve> curves = {
      kCurve, {Collective::AllReduce, true, {8}, {5}}, {Collective::AllReduce, false, {8}, {9}}};
  EXPECT_EQ(find_curve(curves, Collective::AllGather, true), &curves[0]);
  EXPECT_EQ(find_curve(curves, Collective::AllReduce, true), &curves[1]);
  EXPECT_EQ(find_curve(curves, Collective::AllReduce, false), &curves[2]);
  EXPECT_EQ(find_curve(curves, Collective::Broadcast, false), nullptr);
}

TEST(CollectiveCurve, OfWindowsDoesNotStandInForThatOfPlainBuffers) {
  EXPECT_EQ(find_curve({{Collective::AllReduce, true, {8}, {5}}}, Collective::AllReduce, false), nullptr);
}

}  // namespace
}  // namespace cuco::model
