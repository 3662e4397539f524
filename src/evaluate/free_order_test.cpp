#include "evaluate/free_order.h"

#include <gtest/gtest.h>

#include <cstring>

#include "evaluate/judging/judge.h"

namespace cuco::evaluate {
namespace {

CapturedOutput output_of(const std::vector<float>& values) {
  CapturedOutput output;
  output.name = "copy to host 0";
  output.element = static_cast<uint32_t>(Element::Float32);
  output.count = values.size();
  output.bytes.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  return output;
}

// What four ranks add up to: rank r has (i + 1) * (r + 1) * scale.
std::vector<float> sums(float scale, const std::vector<float>& weights) {
  std::vector<float> values(64);
  for (size_t i = 0; i < values.size(); i++)
    for (size_t rank = 0; rank < 4; rank++)
      values[i] += weights[rank] * static_cast<float>(i + 1) * static_cast<float>(rank + 1) * scale;
  return values;
}

const FreeOrder kFourRanks = {4, false, {"ncclAllReduce at f.cu:12 over 4 ranks"}};

size_t findings(float scale, const std::vector<float>& weights, const FreeOrder& order = kFourRanks,
                uint64_t operations = 1'000'000) {
  Capture baseline = {output_of(sums(scale, {1, 1, 1, 1}))}, candidate = {output_of(sums(scale, weights))};
  set_tolerances(order, operations, baseline);
  return compare(baseline, candidate).size();
}

TEST(FreeOrder, AShareThatIsMissingIsFoundWhateverTheSizeOfTheNumbers) {
  for (float scale : {1e-12f, 1e-5f, 1.0f, 1e6f}) EXPECT_EQ(findings(scale, {1, 1, 0, 1}), 1u) << scale;
}

TEST(FreeOrder, ATermThatIsDoubledInASumOfFourIsFound) {
  for (float scale : {1e-12f, 1e-5f, 1.0f, 1e6f}) EXPECT_EQ(findings(scale, {2, 1, 1, 1}), 1u) << scale;
}

TEST(FreeOrder, AMissingShareIsFoundAmongAtomicAdditionsToo) {
  FreeOrder order = {4, true, {}};
  EXPECT_EQ(findings(1e-5f, {1, 1, 1, 0}, order, uint64_t{1} << 40), 1u);
}

TEST(FreeOrder, AnotherOrderOfManyTermsPasses) {
  std::vector<float> up(64), down(64);
  for (size_t i = 0; i < up.size(); i++) {
    for (int term = 1; term <= 200'000; term++) up[i] += 1.0f / static_cast<float>(term + static_cast<int>(i));
    for (int term = 200'000; term >= 1; term--) down[i] += 1.0f / static_cast<float>(term + static_cast<int>(i));
  }
  Capture baseline = {output_of(up)}, candidate = {output_of(down)};
  set_tolerances({0, true, {"atomicAdd at f.cu:3"}}, uint64_t{200'000} * 64, baseline);
  EXPECT_TRUE(compare(baseline, candidate).empty());
}

TEST(FreeOrder, SumsWhoseTermsCancelAreComparedByTheSizeOfTheOthers) {
  std::vector<float> values(64, 3000.0f), other = values;
  values[5] = 1e-4f, other[5] = -2e-4f;
  Capture baseline = {output_of(values)}, candidate = {output_of(other)};
  set_tolerances(kFourRanks, 0, baseline);
  EXPECT_TRUE(compare(baseline, candidate).empty());
}

TEST(FreeOrder, ToleranceGrowsWithTermsAndEnds) {
  EXPECT_DOUBLE_EQ(sum_tolerance(Element::Float32, 4), default_tolerance(Element::Float32));
  EXPECT_DOUBLE_EQ(sum_tolerance(Element::Float32, 1'000'000), 8 * 1000 * 0x1p-24);
  EXPECT_DOUBLE_EQ(sum_tolerance(Element::Float32, uint64_t{1} << 50), sum_tolerance(Element::Float32, 1 << 24));
  EXPECT_EQ(sum_tolerance(Element::Int32, 1'000'000), 0);
}

TEST(FreeOrder, PlacesAreThoseOfSumsAlone) {
  model::Program program;
  program.files = {{"dir/f.cu", 0, {}}};
  for (const char* reduction : {"ncclSum", "ncclMax"}) {
    model::Operation operation;
    operation.callee = "ncclAllReduce";
    operation.range.file = 0, operation.range.line = 12;
    operation.communicate.emplace();
    operation.communicate->reduction = reduction;
    program.operations.push_back(operation);
  }
  FreeOrder order = find_free_order(program, {{"f.cu", "// atomicAdd\n\natomicAdd(&sum, x);\n"}}, 4);
  EXPECT_EQ(order.places, (std::vector<std::string>{"ncclAllReduce at f.cu:12 over 4 ranks", "atomicAdd at f.cu:3"}));
  program.operations.erase(program.operations.begin());
  EXPECT_TRUE(find_free_order(program, {}, 4).places.empty());
}

TEST(FreeOrder, VerdictSaysToleranceAndReason) {
  Capture capture = {output_of(sums(1, {1, 1, 1, 1}))};
  set_tolerances(kFourRanks, 0, capture);
  EXPECT_EQ(
      tolerance_note(kFourRanks, capture),
      "floating-point values may differ by 0.0001 of themselves and of their typical size, because sums are made in "
      "no fixed order: ncclAllReduce at f.cu:12 over 4 ranks");
}

}  // namespace
}  // namespace cuco::evaluate
