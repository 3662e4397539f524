#include "evaluate/judging/sampled_results.h"

#include <gtest/gtest.h>

#include "cuco/element.h"

namespace cuco::evaluate {
namespace {

CapturedOutput part_of(uint64_t first, const std::vector<float>& values, uint32_t rank = 0) {
  CapturedOutput part;
  part.rank = rank;
  part.iteration = 2;
  part.element = static_cast<uint32_t>(Element::Float32);
  part.relative = 1e-3;
  part.is_part = true;
  part.name = "sums";
  part.first = first;
  part.count = values.size();
  part.bytes.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  return part;
}

TEST(SampledResults, WhatBothHaveIsCompared) {
  Capture baseline = {part_of(100, {1, 2, 3, 4}), part_of(200, {5, 6})};
  SampledComparison same =
      compare_parts(baseline, {part_of(102, {3, 4, 9}), part_of(50, {7}), part_of(201, {6.0001f})});
  EXPECT_EQ(same.value_count, 3u);
  EXPECT_TRUE(same.findings.empty());
}

TEST(SampledResults, AMismatchNamesItsPlaceInTheOutput) {
  Capture baseline = {part_of(100, {1, 2, 3, 4}, 1)};
  SampledComparison wrong = compare_parts(baseline, {part_of(102, {3, 5}, 1)});
  ASSERT_EQ(wrong.findings.size(), 1u);
  EXPECT_EQ(wrong.findings[0].kind, "wrong_result");
  EXPECT_EQ(wrong.findings[0].rank, 1);
  EXPECT_EQ(wrong.findings[0].text,
            "at full size output sums of rank 1: index 103 in iteration 2 is 5 where the baseline has 4; 1 of 2 values "
            "that sampled blocks computed differ");
}

TEST(SampledResults, OtherRanksAndScratchAreNotCompared) {
  CapturedOutput scratch = part_of(0, {1});
  scratch.is_scratch = true;
  CapturedOutput other = part_of(0, {2});
  other.is_scratch = true;
  EXPECT_EQ(compare_parts({scratch, part_of(0, {1}, 1)}, {other, part_of(0, {2}, 0)}).value_count, 0u);
}

TEST(SampledResults, PlacesComeFromAllOverEachBuffer) {
  Capture parts;
  for (uint64_t i = 0; i < 160; i++) parts.push_back(part_of(1000 * i, {1}));
  std::vector<vcluster::WantedPlace> places = places_of(parts);
  ASSERT_EQ(places.size(), 16u);
  EXPECT_EQ(places[0].index, 0u);
  EXPECT_EQ(places[15].index, 150'000u);
}

}  // namespace
}  // namespace cuco::evaluate
