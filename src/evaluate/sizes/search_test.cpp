#include "evaluate/sizes/search.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cuco::evaluate {
namespace {

// A product of matrices whose rows are cut over 4 ranks, in tiles of 64: the case is 8192 in each dimension.
class TiledProduct {
 public:
  TriedSize operator()(const SizeValues& values) {
    tries++;
    int64_t m = values[0], n = values[1], k = values[2];
    uint64_t operations = static_cast<uint64_t>(m * n * k) * 2;
    if (m % 256 != 0 || n % 64 != 0 || k % 16 != 0) return {"it ends with code 1", 0};
    if (m < 512 || n < 128) return {"gemm has one block", operations};
    if (operations > 20'000'000'000) return {"it takes too long", operations, true};
    return {"", operations};
  }
  uint32_t tries = 0;
};

SizeSearch product_search() {
  SizeSearch search;
  search.of_case = {8192, 8192, 8192};
  search.groups = {{0, 1, 2}};
  search.operations_goal = 8'000'000;
  search.tries_max = 24;
  return search;
}

FoundSizes find(const SizeSearch& search, TrySize try_size) { return find_sizes(search, uint64_t{1} << 40, try_size); }

TEST(SizeSearch, ShrinksTogetherAndThenOneByOne) {
  TiledProduct product;
  FoundSizes found = find(product_search(), std::ref(product));
  ASSERT_GE(found.sizes.size(), 3u);
  EXPECT_EQ(found.sizes[0][0], 512);
  EXPECT_LE(2 * found.sizes[0][0] * found.sizes[0][1] * found.sizes[0][2], 8'000'000);
  EXPECT_LE(product.tries, 24u);
}

TEST(SizeSearch, EverySizeIsOneThatWasTriedAndIsTheSame) {
  TiledProduct product;
  for (const SizeValues& values : find(product_search(), std::ref(product)).sizes) EXPECT_EQ(product(values).fault, "");
}

TEST(SizeSearch, UnevenSizesComeAlong) {
  TiledProduct product;
  FoundSizes found = find(product_search(), std::ref(product));
  EXPECT_TRUE(std::ranges::any_of(found.sizes, [](const SizeValues& values) { return values[0] == 768; }));
}

TEST(SizeSearch, OddSizesComeAlongWhereTheProgramRuns) {
  SizeSearch search = product_search();
  search.of_case = {1 << 26};
  search.groups = {{0}};
  FoundSizes found = find(search, [](const SizeValues& values) {
    return TriedSize{values[0] < 512 ? "one block" : "", static_cast<uint64_t>(values[0])};
  });
  ASSERT_GE(found.sizes.size(), 3u);
  EXPECT_EQ(found.sizes[0][0], 512);
  EXPECT_TRUE(std::ranges::any_of(found.sizes, [](const SizeValues& values) { return values[0] % 2 == 1; }));
}

// Attention: work grows with the square of one number, which must stay large.
TEST(SizeSearch, OneNumberStaysLargeWhereTheOthersMakeItCheap) {
  SizeSearch search = product_search();
  search.of_case = {4096, 256};
  search.groups = {{0, 1}};
  FoundSizes found = find_sizes(search, uint64_t{1} << 40, [](const SizeValues& values) -> TriedSize {
    uint64_t operations = static_cast<uint64_t>(values[0] * values[0] * values[1]);
    if (values[0] < 1024) return {"merge has one block", operations};
    return {operations > 50'000'000 ? "it takes too long" : "", operations, operations > 50'000'000};
  });
  ASSERT_FALSE(found.sizes.empty()) << found.fault;
  EXPECT_EQ(found.sizes[0], (SizeValues{1024, 8}));
}

TEST(SizeSearch, ANumberThatSelectsIsLeftAlone) {
  SizeSearch search = product_search();
  search.of_case = {4096, 32, 64};  // Sequence, heads, head dimension; the last selects a kernel.
  FoundSizes found = find(search, [](const SizeValues& values) {
    if (values[2] != 64) return TriedSize{"it does not come to kernel attend<64>", 0};
    return TriedSize{values[0] < 128 ? "one block" : "", static_cast<uint64_t>(values[0] * values[0] * values[1] * 64)};
  });
  ASSERT_FALSE(found.sizes.empty());
  for (const SizeValues& values : found.sizes) EXPECT_EQ(values[2], 64);
  EXPECT_EQ(found.sizes[0][0], 128);
}

TEST(SizeSearch, ANumberThatDoesNotScaleGetsItsValueBack) {
  SizeSearch search = product_search();
  search.of_case = {1 << 20, 200};
  search.groups = {{0, 1}};
  FoundSizes found = find(search, [](const SizeValues& values) {
    return TriedSize{values[0] < 1024 ? "one block" : "", static_cast<uint64_t>(values[0])};
  });
  ASSERT_FALSE(found.sizes.empty());
  EXPECT_EQ(found.sizes[0], (SizeValues{1024, 200}));
}

TEST(SizeSearch, AProductIsShrunkWithOneOfItsFactors) {
  SizeSearch search = product_search();
  search.of_case = {8192, 2048, 64};  // Tokens, hidden, dimension of a head; there are 32 heads.
  search.operations_goal = 100'000;
  uint32_t builds = 0;
  FoundSizes found = find(search, [&](const SizeValues& values) {
    builds++;
    if (values[1] != 32 * values[2]) return TriedSize{"it does not build", 0, false, false};
    return TriedSize{values[0] < 128 ? "one block" : "", static_cast<uint64_t>(values[0] * values[1])};
  });
  ASSERT_FALSE(found.sizes.empty());
  EXPECT_EQ(found.sizes[0][1], 32 * found.sizes[0][2]);
  EXPECT_LE(found.sizes[0][0] * found.sizes[0][1], 100'000);
  EXPECT_LE(builds, 24u);
}

TEST(SizeSearch, DefaultsThatArgumentsReplaceAreTriedOnceAndStay) {
  SizeSearch search = product_search();
  search.of_case = {4096, 8192};
  search.groups = {{0}, {0, 1}};
  search.operations_goal = 10;
  uint32_t changed = 0;
  FoundSizes found = find(search, [&](const SizeValues& values) {
    changed += values[1] != 8192;
    return TriedSize{values[0] < 128 ? "one block" : "", static_cast<uint64_t>(values[0])};
  });
  ASSERT_FALSE(found.sizes.empty());
  for (const SizeValues& values : found.sizes) EXPECT_EQ(values[1], 8192);
  EXPECT_EQ(changed, 1u);
}

TEST(SizeSearch, RepeatsAreCutLastAndStayMany) {
  SizeSearch search = product_search();
  search.of_case = {1 << 20, 1000};
  search.groups = {{0}};
  search.repeats = {1};
  search.operations_goal = 100'000;
  FoundSizes found = find(search, [](const SizeValues& values) {
    return TriedSize{values[0] < 512 ? "one block" : "", static_cast<uint64_t>(values[0] * values[1])};
  });
  ASSERT_FALSE(found.sizes.empty());
  EXPECT_EQ(found.sizes[0][0], 512);
  EXPECT_GE(found.sizes[0][1], kLeastValue);
  EXPECT_LT(found.sizes[0][1], 1000);
}

TEST(SizeSearch, ACaseThatIsSmallIsItsOwnProof) {
  SizeSearch search = product_search();
  search.of_case = {512, 128, 32};
  TiledProduct product;
  FoundSizes found = find_sizes(search, 2 * 512 * 128 * 32, std::ref(product));
  ASSERT_GE(found.sizes.size(), 3u);
  EXPECT_EQ(found.sizes[0], search.of_case);
}

TEST(SizeSearch, SaysWhyNoSizeDoes) {
  FoundSizes found = find(product_search(), [](const SizeValues&) { return TriedSize{"it ends with code 2", 0}; });
  EXPECT_TRUE(found.sizes.empty());
  EXPECT_EQ(found.fault, "it ends with code 2");
  EXPECT_FALSE(found.tried.empty());
}

TEST(SizeSearch, TriesNoMoreThanItMay) {
  SizeSearch search = product_search();
  search.tries_max = 5;
  uint32_t tries = 0;
  find(search, [&](const SizeValues&) { return tries++, TriedSize{"no", 0}; });
  EXPECT_EQ(tries, 5u);
}

TEST(SizeSearch, DividesExactlyWhereItCan) {
  EXPECT_EQ(divided({7168, 28672, 3}, {0, 1, 2}, 4), (SizeValues{448, 1792, 3}));
  EXPECT_EQ(divided({7168}, {0}, 20), (SizeValues{14}));
  EXPECT_EQ(divided({1000, 1009}, {0, 1}, 4), (SizeValues{64, 64}));
}

}  // namespace
}  // namespace cuco::evaluate
