#include "footprint/general_form.h"

#include <gtest/gtest.h>

#include "footprint/form_text.h"

namespace cuco::footprint {

namespace {

const std::vector<std::string> kNames = {"n", "ranks"};

// Tiles of 4 rows and 16 bytes of a matrix with rows of n bytes, n / ranks of them on each rank.
std::vector<Sample> tiles_of(uint32_t n, uint32_t ranks, uint32_t tile_rows) {
  std::vector<Sample> samples;
  for (uint32_t rank = 0; rank < ranks; rank++)
    for (uint32_t y = 0; y < n / ranks / tile_rows; y++)
      for (uint32_t x = 0; x < n / 16; x++) {
        ByteRanges bytes;
        for (uint32_t row = 0; row < tile_rows; row++) {
          uint64_t begin = uint64_t{rank * n / ranks + y * tile_rows + row} * n + x * 16;
          bytes.push_back({begin, begin + 16});
        }
        samples.push_back({{{x, y, 0}, uint64_t{y} * (n / 16) + x, rank, 0}, bytes});
      }
  return samples;
}

SizedForm sized(const std::vector<Sample>& samples, uint32_t n, uint32_t ranks) {
  SizedForm run;
  for (const Sample& sample : samples) run.samples.push_back(&sample);
  run.form = fold(run.samples).form.value();
  run.symbols = {{"n", n}, {"ranks", ranks}};
  run.rank_count = ranks;
  return run;
}

TEST(GeneralForm, HasParametersWhereNumbersGrowWithThem) {
  std::vector<Sample> a = tiles_of(64, 2, 4), b = tiles_of(128, 2, 4), c = tiles_of(64, 4, 4);
  std::optional<GeneralForm> form = generalised({sized(a, 64, 2), sized(b, 128, 2), sized(c, 64, 4)});
  ASSERT_TRUE(form);
  EXPECT_EQ(to_text(*form, kNames, 1),
            "rows [4*by+(n/ranks)*rank, 4*by+(n/ranks)*rank+4) x columns [16*bx, 16*bx+16) of a row of n bytes");
}

TEST(GeneralForm, IsNoneWhenAnotherSizeHasAnotherForm) {
  std::vector<Sample> a = tiles_of(64, 2, 4), b = tiles_of(128, 2, 4);
  std::swap(b.front().bytes, b.back().bytes);
  SizedForm other = sized(a, 128, 2);
  other.samples.clear();
  for (const Sample& sample : b) other.samples.push_back(&sample);
  EXPECT_FALSE(generalised({sized(a, 64, 2), other}));
}

TEST(Symbols, SimplestExplanationComesFirst) {
  std::vector<Symbols> runs = {{{"n", 8}, {"ranks", 2}}, {{"n", 16}, {"ranks", 2}}, {{"n", 8}, {"ranks", 4}}};
  auto text = [&](const std::vector<std::optional<int64_t>>& values) {
    std::optional<Monomial> found = explain(values, runs);
    return found ? to_text(*found, kNames) : "none";
  };
  EXPECT_EQ(text({64, 64, 64}), "64");
  EXPECT_EQ(text({32, 64, 32}), "4*n");
  EXPECT_EQ(text({4, 8, 2}), "n/ranks");
  EXPECT_EQ(text({16, 32, std::nullopt}), "2*n");
  EXPECT_EQ(text({1, 2, 1}), "n/8");
  EXPECT_EQ(text({9, 17, 9}), "none");
}

}  // namespace

}  // namespace cuco::footprint
