#include "rewrite/text/launch_text.h"

#include <gtest/gtest.h>

namespace cuco::rewrite {

namespace {

TEST(KernelUses, TellsLaunchesFromDeclarationsAndAddresses) {
  std::string text =
      "__global__ void k(int a) {}\n// k<<<9, 9>>>(0)\nvoid f() { k<float, 2><<<1, 2>>>(3); kk<<<1, 2>>>(3); }";
  KernelUses uses = find_uses(text, "k");
  EXPECT_EQ(uses.launches.size(), 1u);
  EXPECT_EQ(uses.declaration_count, 1u);
  EXPECT_FALSE(uses.has_others);
  EXPECT_TRUE(find_uses("auto p = k;", "k").has_others);
  EXPECT_TRUE(find_uses("f(k), g<<<1, 1>>>(2);", "k").has_others);
}

TEST(KernelText, FindsParametersAndBody) {
  std::string text = "template <int N>\n__global__ void k(float* a, int b) {\n  a[b] = N;\n}\n";
  auto kernel = read_kernel(text, 0, static_cast<uint32_t>(text.size()), "k");
  ASSERT_TRUE(kernel);
  EXPECT_TRUE(kernel->has_parameters);
  EXPECT_EQ(text.substr(kernel->parameters_end, 3), ") {");
  EXPECT_EQ(text.substr(kernel->body, 4), "\n  a");
}

TEST(FunctionsThatAskForBlock, FollowsCalls) {
  std::vector<std::string> found = functions_that_ask_for_block(
      {"__device__ int inner() { return blockIdx.x; }\n__device__ int outer() { return inner(); }\n"
       "__device__ int lane() { return threadIdx.x; }\n__global__ void k() { int i = blockIdx.x; }\n"});
  EXPECT_EQ(found, (std::vector<std::string>{"inner", "outer"}));
}

}  // namespace

}  // namespace cuco::rewrite
