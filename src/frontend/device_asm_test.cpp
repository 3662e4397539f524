#include "frontend/device_asm.h"

#include <gtest/gtest.h>

namespace cuco::frontend {
namespace {

using model::Access;

TEST(DeviceAsm, LoadsReadAndStoresWrite) {
  EXPECT_EQ(read_asm("ld.global.nc.v4.f32 {%0,%1,%2,%3}, [%4+16];").accesses,
            (std::vector<AsmAccess>{{4, Access::Read, false}}));
  EXPECT_EQ(read_asm("st.release.sys.global.u32 [%0], %1;").accesses,
            (std::vector<AsmAccess>{{0, Access::Write, false}}));
}

TEST(DeviceAsm, ReductionsAndAtomicsReadAndWrite) {
  EXPECT_EQ(read_asm("red.add.u32 [%0], 1; atom.cas.b32 %1, [%2], %3, %4;").accesses,
            (std::vector<AsmAccess>{{0, Access::ReadWrite, false}, {2, Access::ReadWrite, false}}));
}

TEST(DeviceAsm, MulticastInstructionsAreKnown) {
  EXPECT_EQ(read_asm("multimem.ld_reduce.add.f32 %0, [%1];\nmultimem.st.f32 [%2], %0;").accesses,
            (std::vector<AsmAccess>{{1, Access::Read, false}, {2, Access::Write, false}}));
}

TEST(DeviceAsm, AsynchronousCopyWritesFirstAndReadsSecond) {
  EXPECT_EQ(read_asm("cp.async.cg.shared.global [%0], [%1], 16;").accesses,
            (std::vector<AsmAccess>{{0, Access::Write, false}, {1, Access::Read, false}}));
}

TEST(DeviceAsm, PrefetchTouchesNothing) {
  EXPECT_EQ(read_asm("prefetch.global.L2 [%0];").accesses, (std::vector<AsmAccess>{{0, Access::None, false}}));
}

TEST(DeviceAsm, PredicatesAndBracesStandBeforeTheInstruction) {
  EXPECT_EQ(read_asm("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p st.global.f32 [%0], %1; }").accesses,
            (std::vector<AsmAccess>{{0, Access::Write, false}}));
}

TEST(DeviceAsm, LongerNameIsAnotherInstruction) {
  EXPECT_EQ(read_asm("stuff.global [%0];").accesses, (std::vector<AsmAccess>{{0, Access::ReadWrite, true}}));
}

TEST(DeviceAsm, OperandsOutsideBracketsAreNoAccess) {
  EXPECT_TRUE(read_asm("cvta.to.global.u64 %0, %1; mov.u32 %2, %laneid;").accesses.empty());
}

TEST(DeviceAsm, BarrierSyncCountsAndArriveDoesNot) {
  EXPECT_TRUE(read_asm("bar.sync 0;").block_barrier);
  EXPECT_TRUE(read_asm("barrier.cta.sync.aligned 1, 128;").block_barrier);
  EXPECT_FALSE(read_asm("bar.arrive 0, 64;").block_barrier);
  EXPECT_FALSE(read_asm("bar.warp.sync 0xffffffff;").block_barrier);
}

}  // namespace
}  // namespace cuco::frontend
