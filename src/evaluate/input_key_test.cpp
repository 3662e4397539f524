#include "evaluate/input_key.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/scratch_folder.h"

namespace cuco::evaluate {
namespace {

namespace fs = std::filesystem;

TEST(InputKey, OfTheMachineIsMadeOnceAndForItsUserAlone) {
  ScratchFolder folder = ScratchFolder::make("cuco-input-key").value();
  std::string first = machine_input_key(folder.path() / "new").value();
  EXPECT_TRUE(is_input_key(first)) << first;
  EXPECT_EQ(machine_input_key(folder.path() / "new").value(), first);
  EXPECT_EQ(fs::status(folder.path() / "new/input-key").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() / "new"), fs::directory_iterator()), 1);
}

TEST(InputKey, WithoutAFolderIsAnotherEachTime) {
  EXPECT_NE(machine_input_key({}).value(), machine_input_key({}).value());
}

TEST(InputKey, DamagedFileIsRefused) {
  ScratchFolder folder = ScratchFolder::make("cuco-input-key").value();
  ASSERT_TRUE(write_file(folder.path() / "input-key", "short").ok());
  EXPECT_FALSE(machine_input_key(folder.path()).ok());
}

TEST(InputKey, RunsDifferByKeyBaselineAndSeed) {
  std::string key = run_key_of("a", "digest", 1);
  EXPECT_TRUE(is_input_key(key));
  EXPECT_NE(key, run_key_of("b", "digest", 1));
  EXPECT_NE(key, run_key_of("a", "other", 1));
  EXPECT_NE(key, run_key_of("a", "digest", 2));
}

}  // namespace
}  // namespace cuco::evaluate
