#include "model/openmp.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cuco::model {
namespace {

TEST(OpenMp, IsOnWhereNvccsCompilerReadsIt) {
  BuildFlags flags;
  EXPECT_FALSE(has_openmp(flags));
  flags.nvcc_options = {"-rdc=true", "-Xcompiler=-fopenmp"};
  EXPECT_TRUE(has_openmp(flags));
}

TEST(OpenMp, IsOnWhereItsLibraryIsLinked) {
  BuildFlags flags;
  flags.libraries = {"m", "gomp"};
  EXPECT_TRUE(has_openmp(flags));
  EXPECT_EQ(host_library_words(flags), std::vector<std::string>{"-lm"});
}

TEST(OpenMp, ReachesTheCompilerOfThePreprocessedText) {
  BuildFlags flags;
  flags.nvcc_options = {"-Xcompiler", "-fopenmp"};
  std::vector<std::string> words = preprocessor_words(flags);
  EXPECT_NE(std::find(words.begin(), words.end(), "-fopenmp"), words.end());
}

}  // namespace
}  // namespace cuco::model
