#include "frontend/lower_ptx.h"

#include <gtest/gtest.h>

namespace cuco::frontend {
namespace {

std::string translated(const std::string& text, std::vector<PtxOperand> operands = {}) {
  Result<std::string> result = translate_ptx({text, std::move(operands)});
  return result ? *result : "error: " + result.error().message;
}

TEST(PtxTranslation, TurnsFencesIntoHooksWithTheirScope) {
  EXPECT_EQ(translated("fence.acq_rel.sys;"), "do { cuco_fence(CucoScopeSystem); } while (0)");
  EXPECT_EQ(translated("membar.gl;"), "do { cuco_fence(CucoScopeDevice); } while (0)");
}

TEST(PtxTranslation, LetsAcquiringLoadsPoll) {
  EXPECT_EQ(translated("ld.acquire.gpu.global.u32 %0, [%1];", {{"v", ""}, {"p", ""}}),
            "do { cuco_ptx::load<true>((char*)(p), (v));cuco_fence(CucoScopeDevice); } while (0)");
}

TEST(PtxTranslation, KeepsVectorsAndOffsets) {
  EXPECT_EQ(translated("st.global.v2.f32 [%0 + 16], {%1, %2};", {{"p", ""}, {"a", ""}, {"b", ""}}),
            "do { cuco_ptx::store((char*)(p) + 16, (a), (b)); } while (0)");
}

TEST(PtxTranslation, ResolvesNamedOperandsAndRegisters) {
  EXPECT_EQ(translated("mov.u32 %[lane], %%laneid;", {{"x", "lane"}}),
            "do { cuco_ptx::give((x), cuco_lane()); } while (0)");
}

TEST(PtxTranslation, NamesWhatItDoesNotKnow) {
  EXPECT_EQ(translated("wgmma.fence.sync.aligned;"),
            "error: inline PTX 'wgmma.fence.sync.aligned' is not supported by the virtual cluster");
  EXPECT_EQ(translated("mov.u32 %0, %%nosuch;", {{"x", ""}}),
            "error: PTX register '%nosuch' is not supported in 'mov.u32 %0, %%nosuch'");
}

TEST(PtxTranslation, RefusesBulkCopies) { EXPECT_EQ(translated("cp.async.bulk.commit_group;").substr(0, 6), "error:"); }

}  // namespace
}  // namespace cuco::frontend
