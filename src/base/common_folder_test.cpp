#include "base/common_folder.h"

#include <gtest/gtest.h>

namespace cuco {
namespace {

TEST(CommonFolder, IsTheDeepestThatHoldsAllFiles) {
  EXPECT_EQ(common_folder({"/p/src/a.cu"}), "/p/src");
  EXPECT_EQ(common_folder({"/p/src/a.cu", "/p/src/deep/b.cu", "/p/include/a.h"}), "/p");
  EXPECT_EQ(common_folder({"/p/src/../a.cu", "/p/b.cu"}), "/p");
}

TEST(CommonFolder, OfNamesThatBeginAlikeIsAbove) { EXPECT_EQ(common_folder({"/p/a/x.cu", "/p/ab/y.cu"}), "/p"); }

TEST(CommonFolder, SaysWhatLiesBelow) {
  EXPECT_TRUE(lies_below("/p/src/a.cu", "/p"));
  EXPECT_FALSE(lies_below("/pq/a.cu", "/p"));
  EXPECT_FALSE(lies_below("/a.cu", "/p"));
}

}  // namespace
}  // namespace cuco
