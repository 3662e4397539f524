#include "frontend/nvcc_syntax.h"

#include <gtest/gtest.h>

namespace cuco::frontend {
namespace {

TEST(LaunchBraces, BecomeParenthesesOfTheSameLength) {
  EXPECT_EQ(as_clang_parses("k<<<g, {x, y, 1}, 0, s>>>(a);"), "k<<<g, (x, y, 1), 0, s>>>(a);");
  EXPECT_EQ(as_clang_parses("k<<<{2, f({3})}, {4}>>>(a);"), "k<<<(2, f({3})), (4)>>>(a);");
}

TEST(LaunchBraces, EmptyOnesAreNumbers) {
  EXPECT_EQ(as_clang_parses("k<<<{}, { }, {}>>>();"), "k<<<1 , 1  , 0 >>>();");
}

TEST(LaunchBraces, OthersStay) {
  for (const char* text : {"k<<<dim3{1, 2}, g(T{3})>>>({4});", "// k<<<g, {1}>>>\nint a[] = {1 << 3};",
                           "auto s = \"<<<{1}\"; int b[] = {x<<2};", "k<<<[] { return 1; }(), 2>>>();", "k<<<g, {1, 2"})
    EXPECT_EQ(as_clang_parses(text), text);
}

TEST(LateAlignas, IsBlankToTheParserAndACsWordToTheCompiler) {
  EXPECT_EQ(as_clang_parses("__shared__ alignas(16) int t[4];"), "__shared__             int t[4];");
  EXPECT_EQ(with_alignas_of_c("__attribute__((shared)) alignas(f(1)) int t;"),
            "__attribute__((shared)) _Alignas(f(1)) int t;");
  for (const char* text : {"struct alignas(16) S {};", "alignas(8) __shared__ int t;", "f(x) alignas(4)"}) {
    EXPECT_EQ(as_clang_parses(text), text);
    EXPECT_EQ(with_alignas_of_c(text), text);
  }
}

}  // namespace
}  // namespace cuco::frontend
