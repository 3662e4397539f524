#include "evaluate/judging/precision.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "base/random.h"
#include "cuco/element.h"

namespace cuco::evaluate {
namespace {

constexpr uint32_t kCount = 256, kTerms = 64;
constexpr NudgedIterations kNudged = {1, 1};

// What iteration 0 (other inputs), 1, 2 (nudged up) and 3 (nudged down) feed into an output.
float input_at(uint32_t iteration, uint32_t index) {
  Random random(iteration == 0 ? 1000 + index : index);
  double value = 2 * random.unit() - 1, nudge = random.chance(0.5) ? 0x1.0p-14 : -0x1.0p-14;
  if (iteration >= 2) value *= iteration == 2 ? 1 + nudge : 1 - nudge;
  return static_cast<float>(value);
}

float in_format(float value, int mantissa_bits) {
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent);
  return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(mantissa, mantissa_bits)), exponent - mantissa_bits));
}

float as_bfloat16(float value) { return in_format(value, 8); }
float as_half(float value) { return in_format(value, 11); }

using Program = std::function<float(uint32_t iteration, uint32_t index)>;

Capture capture_of(const Program& program) {
  Capture capture;
  for (uint32_t iteration = 0; iteration < 4; iteration++) {
    CapturedOutput& output = capture.emplace_back();
    output.iteration = iteration;
    output.element = static_cast<uint32_t>(Element::Float32);
    output.count = kCount;
    output.name = "c";
    output.bytes.resize(kCount * sizeof(float));
    for (uint32_t i = 0; i < kCount; i++) {
      float value = program(iteration, i);
      std::memcpy(output.bytes.data() + i * sizeof value, &value, sizeof value);
    }
  }
  return capture;
}

float product(uint32_t iteration, uint32_t index, bool backwards, float (*wire)(float)) {
  float sum = 0;
  for (uint32_t k = 0; k < kTerms; k++) {
    uint32_t term = backwards ? kTerms - 1 - k : k;
    sum += input_at(iteration, 5000 + term) * wire(input_at(iteration, index * kTerms + term));
  }
  return sum;
}

float whole(float value) { return value; }

std::vector<Finding> compared(const Program& baseline, const Program& candidate) {
  return compare_changes(capture_of(baseline), capture_of(candidate), kNudged);
}

TEST(Precision, HalfAndBfloat16OnTheWayOfAMoveAreFound) {
  for (auto wire : {as_bfloat16, as_half})
    EXPECT_EQ(compared(input_at, [&](uint32_t n, uint32_t i) { return wire(input_at(n, i)); }).size(), 1u);
}

TEST(Precision, HalfAndBfloat16OnTheWayIntoAProductAreFound) {
  auto original = [](uint32_t n, uint32_t i) { return product(n, i, false, whole); };
  for (auto wire : {as_bfloat16, as_half})
    EXPECT_EQ(compared(original, [&](uint32_t n, uint32_t i) { return product(n, i, false, wire); }).size(), 1u);
}

TEST(Precision, SumsInAnotherOrderAreNotFound) {
  EXPECT_TRUE(compared([](uint32_t n, uint32_t i) { return product(n, i, false, whole); },
                       [](uint32_t n, uint32_t i) { return product(n, i, true, whole); })
                  .empty());
}

TEST(Precision, NothingIsSaidWhereTheOriginalItselfRounds) {
  EXPECT_TRUE(compared([](uint32_t n, uint32_t i) { return product(n, i, false, as_half); },
                       [](uint32_t n, uint32_t i) { return product(n, i, true, as_half); })
                  .empty());
  EXPECT_TRUE(compared([](uint32_t n, uint32_t i) { return as_bfloat16(input_at(n, i)); }, input_at).empty());
}

TEST(Precision, ResultsOfAnEarlierCallAreFound) {
  EXPECT_EQ(compared(input_at, [](uint32_t n, uint32_t i) { return input_at(n == 2 ? 1 : n, i); }).size(), 1u);
}

}  // namespace
}  // namespace cuco::evaluate
