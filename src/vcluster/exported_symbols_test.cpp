#include "vcluster/exported_symbols.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace cuco::vcluster {
namespace {

TEST(ExportedSymbols, AreReadFromAnElfFile) {
  Result<model::NameSet> names = exported_symbols("/lib/x86_64-linux-gnu/libc.so.6");
  if (!names) GTEST_SKIP() << names.error().message;
  EXPECT_TRUE(names->contains("malloc"));
  EXPECT_FALSE(names->contains("cudaMalloc"));
}

TEST(ExportedSymbols, RefuseOtherFiles) {
  std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "text";
  ASSERT_TRUE(write_file(file, std::string(100, 'x')));
  EXPECT_EQ(exported_symbols(file).error().message, file.string() + ": not an executable of this machine");
}

}  // namespace
}  // namespace cuco::vcluster
