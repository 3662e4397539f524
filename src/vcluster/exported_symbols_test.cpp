#include "vcluster/exported_symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files.h"

namespace cuco::vcluster {
namespace {

TEST(ExportedSymbols, AreReadFromAnElfFile) {
  Dl_info c_library;
  ASSERT_NE(dladdr(reinterpret_cast<const void*>(&std::malloc), &c_library), 0);
  Result<NameSet> names = exported_symbols(c_library.dli_fname);
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_TRUE(names->contains("malloc"));
  EXPECT_FALSE(names->contains("cudaMalloc"));
}

TEST(ExportedSymbols, RefuseOtherFiles) {
  std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "text";
  ASSERT_TRUE(write_file(file, std::string(100, 'x')));
  EXPECT_EQ(exported_symbols(file).error().message, file.string() + ": not an executable of this machine");
}

}  // namespace
}  // namespace cuco::vcluster
