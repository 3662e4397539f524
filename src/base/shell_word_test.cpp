#include "base/shell_word.h"

#include <gtest/gtest.h>

namespace cuco {
namespace {

TEST(ShellWord, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(shell_word("workloads/a-b.c=1"), "workloads/a-b.c=1");
  EXPECT_EQ(shell_word("command:sh answer.sh"), "'command:sh answer.sh'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace cuco
