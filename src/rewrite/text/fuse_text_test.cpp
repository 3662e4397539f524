#include "rewrite/text/fuse_text.h"

#include <gtest/gtest.h>

namespace cuco::rewrite {
namespace {

Result<KernelParts> parts_of(const std::string& text) {
  return take_apart(text, static_cast<uint32_t>(text.size()), "scale");
}

TEST(FuseText, TakesATemplateApart) {
  Result<KernelParts> kernel = parts_of(
      "template <typename T, int kTile = 4>\n__global__ void __launch_bounds__(kTile * 64) scale(T* out, const T* in, "
      "int n) {\n  if (n) return;\n}");
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_EQ(kernel->template_arguments, "<T, kTile>");
  EXPECT_EQ(kernel->specifiers, "__global__ void __launch_bounds__(kTile * 64)");
  EXPECT_EQ(body_header(*kernel, "scale_body"),
            "template <typename T, int kTile = 4>\n__device__ __forceinline__ void scale_body(T* out, const T* in, int "
            "n, [[maybe_unused]] const uint3 blockIdx) ");
  EXPECT_EQ(body_call(*kernel, "scale_body", "block"), "scale_body<T, kTile>(out, in, n, block)");
}

TEST(FuseText, AKernelWithoutParametersGetsTheBlockAlone) {
  Result<KernelParts> kernel = parts_of("static __global__ void scale() {}");
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_EQ(body_call(*kernel, "scale_body", "blockIdx"), "scale_body(blockIdx)");
  EXPECT_EQ(kernel_text(*kernel, "scale_with_s1", "const F f", "  go();\n"),
            "static __global__ void scale_with_s1(const F f) { go(); }\n");
  EXPECT_EQ(kernel_text(*kernel, "scale_with_s1", "const F f", "  go();\n  on();\n"),
            "static __global__ void scale_with_s1(const F f) {\n  go();\n  on();\n}\n");
}

TEST(FuseText, ParametersThatCannotBePassedOnAreRefused) {
  EXPECT_EQ(parts_of("__global__ void scale(const __grid_constant__ S s) {}").error().message,
            "has a parameter that cannot be passed on: const __grid_constant__ S s");
  EXPECT_EQ(parts_of("__global__ void scale(float*) {}").error().message,
            "has a parameter that cannot be passed on: float*");
  EXPECT_EQ(parts_of("template <typename... T>\n__global__ void scale(T... all) {}").error().message,
            "has a parameter that cannot be passed on: typename... T");
}

TEST(FuseText, DeclarationsThatCannotBeSharedAreRefused) {
  EXPECT_EQ(parts_of("extern \"C\" __global__ void scale(int n) {}").error().message, "is declared with extern");
}

}  // namespace
}  // namespace cuco::rewrite
