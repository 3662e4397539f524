#include "model/collective_curve.h"

#include <gtest/gtest.h>

namespace cuco::model {
namespace {

const CollectiveCurve kCurve{"ncclAllGather", false, {1000, 3000, 7000}, {10, 14, 30}};

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

TEST(CollectiveCurve, OfOnePointIsLevel) { EXPECT_DOUBLE_EQ(time_us({"ncclSend", false, {8}, {5}}, 1e9), 5); }

TEST(CollectiveCurve, OfPlainBuffersStandsInForThatOfWindows) {
  std::vector<CollectiveCurve> curves = {kCurve, {"ncclAllReduce", true, {8}, {5}}, {"ncclAllReduce", false, {8}, {9}}};
  EXPECT_EQ(find_curve(curves, "ncclAllGather", true), &curves[0]);
  EXPECT_EQ(find_curve(curves, "ncclAllReduce", true), &curves[1]);
  EXPECT_EQ(find_curve(curves, "ncclAllReduce", false), &curves[2]);
  EXPECT_EQ(find_curve(curves, "ncclBroadcast", false), nullptr);
}

TEST(CollectiveCurve, OfWindowsDoesNotStandInForThatOfPlainBuffers) {
  EXPECT_EQ(find_curve({{"ncclAllReduce", true, {8}, {5}}}, "ncclAllReduce", false), nullptr);
}

}  // namespace
}  // namespace cuco::model
