#include "vcluster/runtime/checkers/kept_numbers.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

class Numbers : public ::testing::Test {
 protected:
  Numbers() {
    for (int i = 0; i < 10; i++) list.add(i);
  }
  std::vector<uint32_t> numbers() const {
    std::vector<uint32_t> all;
    list.for_each([&](uint32_t number) { all.push_back(number); });
    return all;
  }
  KeptNumbers<int, 4> list;
};

TEST_F(Numbers, StayWhenAChunkIsGivenBack) {
  list.release([](int value) { return value >= 4; });
  EXPECT_FALSE(list.has(3));
  EXPECT_EQ(numbers(), (std::vector<uint32_t>{4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(list[9], 9);
  EXPECT_EQ(list.add(10), 10u);
}

TEST_F(Numbers, ChunkWithANeededElementStays) {
  list.release([](int value) { return value == 6; });
  EXPECT_FALSE(list.has(0));
  EXPECT_TRUE(list.has(4));
}

TEST_F(Numbers, LastChunkThatIsNotFullStays) {
  list.release([](int) { return false; });
  EXPECT_EQ(numbers(), (std::vector<uint32_t>{8, 9}));
  EXPECT_EQ(list.add(10), 10u);
  EXPECT_EQ(list[10], 10);
}

}  // namespace
}  // namespace cuco::vcluster
