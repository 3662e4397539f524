#include "vcluster/host_libraries.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

TEST(HostLibraries, AreKnownByWhatTheImageAsksFor) {
  std::vector<HostLibrary> found = host_libraries_of({{"cblas_dgemm", false}, {"cblas_daxpy", false}, {"puts", false}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].asked, "cblas_daxpy");
  EXPECT_EQ(found[0].names.front(), "blas");
  EXPECT_EQ(found[0].package, "libblas-dev");
}

TEST(HostLibraries, FunctionsOfTheProgramsOwnAskForNone) {
  EXPECT_TRUE(host_libraries_of({{"cblas_dgemm", true}, {"cblas_dgemm", false}, {"my_cblas_copy", false}}).empty());
}

}  // namespace
}  // namespace cuco::vcluster
