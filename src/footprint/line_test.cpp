#include "footprint/line.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cuco::footprint {

namespace {

template <typename Of>
std::vector<PointValue> on_grid(int64_t width, int64_t height, Of of) {
  std::vector<PointValue> values;
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++) values.push_back({{x, y, 0, 0, 0}, of(x, y)});
  return values;
}

TEST(Line, FitsSlopesOfAllCoordinates) {
  std::optional<Line> line = fit_line(on_grid(3, 4, [](int64_t x, int64_t y) { return 7 + 5 * x - 2 * y; }));
  ASSERT_TRUE(line);
  EXPECT_EQ(*line, (Line{7, {5, -2, 0, 0, 0}, std::nullopt, std::nullopt}));
}

TEST(Line, HasTheBoundsThatItReaches) {
  auto edge = [](int64_t x, int64_t) { return std::clamp<int64_t>(16 * x - 4, 0, 50); };
  std::optional<Line> line = fit_line(on_grid(6, 1, edge));
  ASSERT_TRUE(line);
  EXPECT_EQ(*line, (Line{-4, {16, 0, 0, 0, 0}, 0, 50}));
}

TEST(Line, IsNotFoundForOtherFunctions) {
  EXPECT_FALSE(fit_line(on_grid(8, 1, [](int64_t x, int64_t) { return x * x; })));
  EXPECT_FALSE(fit_line(on_grid(8, 1, [](int64_t x, int64_t) { return x ^ 1; })));
}

TEST(Line, AllowsForRoundsThatAreMissing) {
  std::optional<Line> line = fit_line({{{0, 0, 0, 0, 1}, 10}, {{0, 0, 0, 0, 3}, 30}, {{0, 0, 0, 0, 5}, 50}});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->slopes[4], 10);
}

TEST(Basis, SplitsTheLinearIndexOfBlocks) {
  Basis basis{4, 0, 0, 0, 0};
  EXPECT_EQ(point_of(basis, {{11, 0, 0}, 11, 2, 3}), (Point{3, 2, 0, 2, 3}));
}

TEST(Basis, ModulusIsNeverNegative) {
  Basis basis{0, 4, 1, -1, 0};
  EXPECT_EQ(point_of(basis, {{1, 2, 3}, 0, 1, 3}), (Point{1, 2, 3, 2, 0}));
}

}  // namespace

}  // namespace cuco::footprint
