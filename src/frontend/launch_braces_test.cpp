#include "frontend/launch_braces.h"

#include <gtest/gtest.h>

namespace cuco::frontend {
namespace {

TEST(LaunchBraces, BecomeParenthesesOfTheSameLength) {
  EXPECT_EQ(without_launch_braces("k<<<g, {x, y, 1}, 0, s>>>(a);"), "k<<<g, (x, y, 1), 0, s>>>(a);");
  EXPECT_EQ(without_launch_braces("k<<<{2, f({3})}, {4}>>>(a);"), "k<<<(2, f({3})), (4)>>>(a);");
}

TEST(LaunchBraces, EmptyOnesAreNumbers) {
  EXPECT_EQ(without_launch_braces("k<<<{}, { }, {}>>>();"), "k<<<1 , 1  , 0 >>>();");
}

TEST(LaunchBraces, OthersStay) {
  for (const char* text : {"k<<<dim3{1, 2}, g(T{3})>>>({4});", "// k<<<g, {1}>>>\nint a[] = {1 << 3};",
                           "auto s = \"<<<{1}\"; int b[] = {x<<2};", "k<<<[] { return 1; }(), 2>>>();", "k<<<g, {1, 2"})
    EXPECT_EQ(without_launch_braces(text), text);
}

}  // namespace
}  // namespace cuco::frontend
