#include "vcluster/lowering_input.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

TEST(LoweringInput, TextFormIsReadBack) {
  LoweringInput input{"dir/a b.cu", "int x;\nhost_text 3\n",   "int y;", "c++20", false, true,
                      true,         {"cudaMalloc", "ncclSend"}};
  input.has_openmp = true;
  LoweringInput back = parse_lowering_input(to_text(input)).value();
  EXPECT_EQ(back.path, input.path);
  EXPECT_EQ(back.text, input.text);
  EXPECT_EQ(back.host_text, input.host_text);
  EXPECT_EQ(back.standard, input.standard);
  EXPECT_EQ(back.is_cuda, input.is_cuda);
  EXPECT_EQ(back.is_c, input.is_c);
  EXPECT_EQ(back.marks_kernels, input.marks_kernels);
  EXPECT_EQ(back.has_openmp, input.has_openmp);
  EXPECT_EQ(back.implemented, input.implemented);
}

TEST(LoweringInput, CutTextIsRefused) {
  std::string text = to_text(LoweringInput{"a.cu", "int x;", "", "c++17", true, false, false, {}});
  EXPECT_FALSE(parse_lowering_input(text.substr(0, text.size() / 2)));
}

}  // namespace
}  // namespace cuco::vcluster
