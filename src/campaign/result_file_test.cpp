#include "campaign/result_file.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "testing/scratch_folder.h"

namespace cuco::campaign {
namespace {

TEST(ResultFile, IsWrittenOverItsOwnKindOnly) {
  testing::ScratchFolder scratch;
  std::filesystem::path path = scratch.path() / "graph.dot";
  std::string graph = concat(kGraphBeginning, "\n}\n");
  EXPECT_TRUE(write_result_file(path, graph, kGraphBeginning).ok());
  EXPECT_TRUE(write_result_file(path, graph + "\n", kGraphBeginning).ok());
  ASSERT_TRUE(write_file(path, "int main() {}\n").ok());
  EXPECT_EQ(write_result_file(path, graph, kGraphBeginning).error().message,
            concat(path.string(), ": is there already and is not cuco's; choose another name"));
  EXPECT_EQ(*read_file(path), "int main() {}\n");
}

TEST(ResultFile, DevicesAndEmptyFilesAreFine) {
  testing::ScratchFolder scratch;
  std::filesystem::path path = scratch.path() / "empty";
  ASSERT_TRUE(write_file(path, "").ok());
  EXPECT_TRUE(check_result_file(path, kTraceBeginning).ok());
  EXPECT_TRUE(check_result_file("/dev/null", kTraceBeginning).ok());
  EXPECT_TRUE(check_result_file("", kTraceBeginning).ok());
}

}  // namespace
}  // namespace cuco::campaign
