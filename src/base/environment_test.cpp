#include "base/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files.h"
#include "testing/scratch_folder.h"

namespace cuco {
namespace {

TEST(Environment, VariableIsAbsentUntilSet) {
  RealEnvironment environment;
  unsetenv("CUCO_TEST_VARIABLE");
  EXPECT_EQ(environment.variable("CUCO_TEST_VARIABLE"), std::nullopt);
  setenv("CUCO_TEST_VARIABLE", "", 1);
  EXPECT_EQ(environment.variable("CUCO_TEST_VARIABLE"), "");
  unsetenv("CUCO_TEST_VARIABLE");
}

TEST(Environment, FindsExecutableFilesOnly) {
  namespace fs = std::filesystem;
  testing::ScratchFolder scratch;
  fs::path tool = scratch.path() / "cuco-test-tool";
  ASSERT_TRUE(write_file(tool, "").ok());
  std::string before = std::getenv("PATH");
  setenv("PATH", ("/nowhere:" + scratch.path().string()).c_str(), 1);
  RealEnvironment environment;
  fs::permissions(tool, fs::perms::owner_read);
  EXPECT_EQ(environment.find_program("cuco-test-tool"), std::nullopt);
  fs::permissions(tool, fs::perms::owner_all);
  EXPECT_EQ(environment.find_program("cuco-test-tool"), tool);
  setenv("PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace cuco
