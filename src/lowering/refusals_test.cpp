#include "lowering/refusals.h"

#include <gtest/gtest.h>

namespace cuco::lowering {
namespace {

TEST(Refusals, KnowTheNamesOfLibraries) {
  for (const char* name : {"cudaGraphAddKernelNode", "cuMemCreate", "ncclFoo", "MPI_Win_create", "cublasLtMatmul"})
    EXPECT_TRUE(is_library_name(name)) << name;
  for (const char* name : {"cudaless", "custom", "current", "main", "cu", "tile", "text"})
    EXPECT_FALSE(is_library_name(name)) << name;
}

TEST(Refusals, SayWhatToUseInstead) {
  EXPECT_EQ(refusal_of("cuMemCreate"),
            "cuMemCreate is not supported on the virtual cluster: use cudaMalloc, cudaMallocAsync or ncclMemAlloc");
  EXPECT_EQ(refusal_of("cudnnCreate"), "cudnnCreate is not supported on the virtual cluster");
  EXPECT_EQ(ptx_refusal("wgmma.fence.sync.aligned"),
            "inline PTX 'wgmma.fence.sync.aligned' is not supported on the virtual cluster: use mma.sync or "
            "nvcuda::wmma");
}

TEST(Refusals, RewordWhatClangSaysOfUnknownLibraryNames) {
  EXPECT_EQ(reworded("use of undeclared identifier 'cudaCreateTextureObject'"),
            "cudaCreateTextureObject is not supported on the virtual cluster: read through a pointer (__ldg)");
  EXPECT_EQ(reworded("use of undeclared identifier 'count'"), "use of undeclared identifier 'count'");
}

TEST(Refusals, NameMembersOfLibrariesThatAreMissing) {
  EXPECT_EQ(reworded("no member named 'this_cluster' in namespace 'cooperative_groups'"),
            "cooperative_groups::this_cluster is not supported on the virtual cluster: use a thread block or, in a "
            "cooperative launch, the grid");
  EXPECT_EQ(reworded("no member named 'f' in namespace 'mine'"), "no member named 'f' in namespace 'mine'");
}

}  // namespace
}  // namespace cuco::lowering
