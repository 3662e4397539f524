#include "frontend/mismatch_notes.h"

#include <gtest/gtest.h>

namespace cuco::frontend {
namespace {

TEST(MismatchNotes, GiveTheReason) {
  EXPECT_EQ(mismatch_in("candidate function not viable: requires 2 arguments, but 1 was provided"),
            "; requires 2 arguments, but 1 was provided");
}

TEST(MismatchNotes, OthersGiveNone) { EXPECT_EQ(mismatch_in("declared here"), ""); }

TEST(MismatchNotes, NamesOfKernelsInHostFilesGetAHint) {
  EXPECT_NE(kernels_hint("use of undeclared identifier 'threadIdx'"), "");
  EXPECT_EQ(kernels_hint("use of undeclared identifier 'threadIdxs'"), "");
}

}  // namespace
}  // namespace cuco::frontend
