#include "evaluate/plain_region.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cuco::evaluate {
namespace {

const std::string kText = R"(int main() {
  int* kept = 0;
  record(start);  // It begins { here.
  int result = work();
  record(stop);
  print(result);
}
)";

PlainRegion between(const std::string& text, const std::string& first, const std::string& last) {
  return {0, text.find(first), text.find(last) + last.size(), 1, ""};
}

TEST(PlainRegion, MarksStandOnTheLinesOfItsFirstAndLastStatement) {
  std::string marked = with_marks(kText, between(kText, "record(start)", "record(stop)")).value();
  EXPECT_NE(marked.find("\n  cuco_region: cuco_region_begins(); record(start);  // It begins"), std::string::npos);
  EXPECT_NE(marked.find("\n  record(stop); if (cuco_region_goes_on()) goto cuco_region;\n  print"), std::string::npos);
  EXPECT_EQ(std::count(marked.begin(), marked.end(), '\n'), std::count(kText.begin(), kText.end(), '\n'));
}

TEST(PlainRegion, EndsInTheBlockThatItBeginsIn) {
  std::string text = "record(start); if (a) { record(stop); }";
  Result<std::string> marked = with_marks(text, between(text, "record(start)", "record(stop)"));
  ASSERT_FALSE(marked.ok());
  EXPECT_EQ(marked.error().message, "its region begins and ends in different blocks");
}

TEST(PlainRegion, LeavesTheMarksToCuco) {
  std::string text = "record(start); cuco_region_goes_on(); record(stop);";
  EXPECT_FALSE(with_marks(text, between(text, "record(start)", "record(stop)")).ok());
  text = "record(start); /* cuco_region_goes_on */ record(stop);";
  EXPECT_TRUE(with_marks(text, between(text, "record(start)", "record(stop)")).ok());
}

TEST(PlainRegion, IsReadAsItIsWritten) {
  PlainRegion region = parse_plain_region("1 20 300 6 program.cu:8:3: cudaMalloc\n").value();
  EXPECT_EQ(region.file, 1u);
  EXPECT_EQ(region.begin, 20u);
  EXPECT_EQ(region.end, 300u);
  EXPECT_EQ(region.own_calls, 6u);
  EXPECT_EQ(region.set_up, "program.cu:8:3: cudaMalloc");
  EXPECT_EQ(parse_plain_region("0 20 300 1 \n").value().set_up, "");
  EXPECT_FALSE(parse_plain_region("").ok());
}

}  // namespace
}  // namespace cuco::evaluate
