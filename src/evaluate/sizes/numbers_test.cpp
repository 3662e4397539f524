#include "evaluate/sizes/numbers.h"

#include <gtest/gtest.h>

namespace cuco::evaluate {
namespace {

std::string numbers_with(const std::vector<std::string>& arguments) {
  EvaluationRequest request;
  request.plain = true;
  request.configuration.arguments = arguments;
  SourceFile file{"a.cu",
                  "int nx = get(argv, \"-nx\", 16384), ny = get(argv, \"-ny\", 8192); cudaMalloc(&x, nx * ny);"};
  return names_text(size_numbers(request, {file}));
}

TEST(SizeNumbers, ADefaultIsNoneWhereItsOptionIsGiven) {
  EXPECT_EQ(numbers_with({}), "nx=16384 (a.cu:1), ny=8192 (a.cu:1)");
  EXPECT_EQ(numbers_with({"-nx", "64"}), "-nx=64, ny=8192 (a.cu:1)");
  EXPECT_EQ(numbers_with({"-nx=64", "-ny", "32"}), "-nx=64, -ny=32");
}

}  // namespace
}  // namespace cuco::evaluate
