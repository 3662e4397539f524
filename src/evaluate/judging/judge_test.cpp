#include "evaluate/judging/judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "cuco/element.h"

namespace cuco::evaluate {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <typename T>
CapturedOutput output_of(const std::vector<T>& values, Element element, double absolute = 0, double relative = 0) {
  CapturedOutput output;
  output.element = static_cast<uint32_t>(element);
  output.absolute = absolute;
  output.relative = relative;
  output.count = values.size();
  output.name = "c";
  output.bytes.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return output;
}

Capture floats(const std::vector<float>& values, double absolute = 0, double relative = 0) {
  return {output_of(values, Element::Float32, absolute, relative)};
}

std::string first_text(const std::vector<Finding>& findings) { return findings.empty() ? "" : findings.front().text; }

TEST(Judge, EqualOutputsPass) { EXPECT_TRUE(compare(floats({1, 2, 3}), floats({1, 2, 3})).empty()); }

TEST(Judge, NamesTheFirstMismatchWithBothValues) {
  std::vector<Finding> findings = compare(floats({1, 2, 3, 4}), floats({1, 2.5, 3, 5}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "wrong_result");
  EXPECT_EQ(findings[0].rank, 0);
  EXPECT_EQ(
      findings[0].text,
      "output c of rank 0: index 1 in iteration 0 is 2.5 where the baseline has 2; 2 of 4 elements differ, in 1 of "
      "1 iteration");
}

TEST(Judge, SeesAPermutation) { EXPECT_EQ(compare(floats({1, 2, 3}), floats({3, 2, 1})).size(), 1u); }

TEST(Judge, SeesAWrongLastElement) {
  std::vector<float> values(1000, 1.0f), wrong = values;
  wrong.back() = 2;
  EXPECT_NE(first_text(compare(floats(values), floats(wrong))).find("index 999"), std::string::npos);
}

TEST(Judge, NanPassesOnlyForANanAndWhereItWasWritten) {
  EXPECT_EQ(compare(floats({1}, 1e9, 1e9), floats({kNan})).size(), 1u);
  EXPECT_EQ(compare(floats({kNan}, 1e9, 1e9), floats({kNan})).size(), 0u);
  Capture unwritten = floats({kNan});
  std::fill(unwritten[0].bytes.begin(), unwritten[0].bytes.end(), '\xff');
  EXPECT_EQ(compare(floats({kNan}, 1e9, 1e9), unwritten).size(), 1u);
  EXPECT_EQ(compare(floats({kNan}, 1e9, 1e9), floats({1})).size(), 1u);
}

TEST(Judge, OnlyTheSameInfinityPasses) {
  EXPECT_TRUE(compare(floats({kInfinity}, 0, 1), floats({kInfinity})).empty());
  EXPECT_EQ(compare(floats({kInfinity}, 0, 1), floats({-kInfinity})).size(), 1u);
  EXPECT_EQ(compare(floats({kInfinity}, 0, 1), floats({1})).size(), 1u);
  EXPECT_EQ(compare(floats({1}, 1, 1), floats({kInfinity})).size(), 1u);
}

TEST(Judge, NegativeZeroEqualsZero) { EXPECT_TRUE(compare(floats({0.0f}), floats({-0.0f})).empty()); }

TEST(Judge, ToleranceIncludesItsEdge) {
  EXPECT_TRUE(compare(floats({4}, 0.5, 0.125), floats({5})).empty());
  EXPECT_TRUE(compare(floats({4}, 0.5, 0.125), floats({3})).empty());
  EXPECT_EQ(compare(floats({4}, 0.5, 0.125), floats({std::nextafter(5.0f, 6.0f)})).size(), 1u);
}

TEST(Judge, ToleranceIsTheBaselines) { EXPECT_EQ(compare(floats({4}), floats({5}, 100, 100)).size(), 1u); }

TEST(Judge, ComparesLargeIntegersExactly) {
  Capture baseline = {output_of<int64_t>({(int64_t{1} << 60) + 1}, Element::Int64)};
  Capture candidate = {output_of<int64_t>({int64_t{1} << 60}, Element::Int64)};
  EXPECT_EQ(compare(baseline, candidate).size(), 1u);
  EXPECT_TRUE(compare(baseline, baseline).empty());
}

TEST(Judge, ToleratesIntegersAsFarAsTheBaselineSays) {
  Capture baseline = {output_of<int32_t>({10, -7}, Element::Int32, 1)};
  EXPECT_TRUE(compare(baseline, {output_of<int32_t>({11, -8}, Element::Int32)}).empty());
  EXPECT_EQ(compare(baseline, {output_of<int32_t>({12, -7}, Element::Int32)}).size(), 1u);
}

TEST(Judge, CountMismatchIsWrong) {
  EXPECT_EQ(first_text(compare(floats({1, 2}), floats({1}))),
            "output c of rank 0 has 1 elements in iteration 0, the baseline's 2");
}

TEST(Judge, TypeAndNameMustMatch) {
  Capture other = floats({1});
  other[0].name = "d";
  EXPECT_EQ(first_text(compare(floats({1}), other)), "output d of rank 0 stands where the baseline has c");
  EXPECT_EQ(compare(floats({1}), {output_of<int32_t>({1}, Element::Int32)}).size(), 1u);
}

TEST(Judge, MissingAndExtraOutputsAreWrong) {
  Capture two = floats({1});
  two.push_back(two[0]);
  two[1].iteration = 1;
  EXPECT_EQ(first_text(compare(two, floats({1}))), "output c of rank 0 is missing from iteration 1");
  EXPECT_EQ(first_text(compare(floats({1}), two)), "output c of rank 0 has an iteration 1 that the baseline has not");
  two[1].rank = 1;
  EXPECT_EQ(compare(two, floats({1})).at(0).rank, 1);
  EXPECT_EQ(first_text(compare(floats({1}), two)), "output c of rank 1 is not an output of the baseline");
}

TEST(Judge, SaysWhenTheCandidateLeftThePoison) {
  Capture candidate = floats({1, 0});
  std::memset(candidate[0].bytes.data() + 4, 0xff, 4);
  EXPECT_NE(first_text(compare(floats({1, 2}), candidate)).find("NaN (never written)"), std::string::npos);
}

TEST(Judge, BaselineWithPoisonOrNanIsReported) {
  Capture baseline = floats({1, 0});
  std::memset(baseline[0].bytes.data() + 4, 0xff, 4);
  EXPECT_EQ(first_text(judge_baseline(baseline)), "output c of rank 0 is never written at index 1 in iteration 0");
  EXPECT_NE(first_text(judge_baseline(floats({kNan}))).find("is not a number at index 0"), std::string::npos);
  EXPECT_TRUE(judge_baseline(floats({1, 2})).empty());
}

TEST(Judge, IntegerOutputOfPoisonOnlyIsNeverWritten) {
  Capture untouched = {output_of<int32_t>({-1, -1}, Element::Int32)};
  EXPECT_EQ(first_text(judge_baseline(untouched)), "output c of rank 0 is never written in iteration 0");
  EXPECT_TRUE(judge_baseline({output_of<int32_t>({-1, 3}, Element::Int32)}).empty());
}

TEST(Judge, BaselineThatChangesAfterItsRegionIsReported) {
  Capture baseline = floats({1});
  baseline[0].changed_after_return = true;
  EXPECT_EQ(judge_baseline(baseline).at(0).kind, "leaking_work");
}

TEST(Judge, HalfPrecisionIsComparedAsNumbers) {
  std::vector<uint16_t> one = {0x3c00}, next = {0x3c01};
  Capture baseline = {output_of(one, Element::Float16, 0, 1e-3)};
  EXPECT_TRUE(compare(baseline, {output_of(next, Element::Float16)}).empty());
  baseline[0].relative = 1e-4;
  EXPECT_EQ(compare(baseline, {output_of(next, Element::Float16)}).size(), 1u);
}

}  // namespace
}  // namespace cuco::evaluate
