#include "lowering/ptx.h"

#include <gtest/gtest.h>

namespace cuco::lowering {
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
            "do { cuco_ptx::load<true, cuco_ptx::u32>((char*)(p), (v));cuco_fence(CucoScopeDevice); } while (0)");
}

TEST(PtxTranslation, KeepsVectorsAndOffsets) {
  EXPECT_EQ(translated("st.global.v2.f32 [%0 + 16], {%1, %2};", {{"p", ""}, {"a", ""}, {"b", ""}}),
            "do { cuco_ptx::store<cuco_ptx::f32>((char*)(p) + 16, (a), (b)); } while (0)");
}

TEST(PtxTranslation, ResolvesNamedOperandsAndRegisters) {
  EXPECT_EQ(translated("mov.u32 %[lane], %%laneid;", {{"x", "lane"}}),
            "do { cuco_ptx::give((x), cuco_lane()); } while (0)");
}

TEST(PtxTranslation, NamesWhatItDoesNotKnow) {
  EXPECT_EQ(translated("wgmma.fence.sync.aligned;"),
            "error: inline PTX 'wgmma.fence.sync.aligned' is not supported on the virtual cluster: use mma.sync or "
            "nvcuda::wmma");
  EXPECT_EQ(translated("mov.u32 %0, %%nosuch;", {{"x", ""}}),
            "error: PTX register '%nosuch' is not supported in 'mov.u32 %0, %%nosuch'");
}

TEST(PtxTranslation, MakesVariablesOfTheTextsOwnRegisters) {
  EXPECT_EQ(translated("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.global.u32 [%1], %2; }",
                       {{"c", ""}, {"a", ""}, {"v", ""}}),
            "do { cuco_ptx::pred cuco_r_p{};{ bool cuco_p = cuco_ptx::i_setp<cuco_ptx::c_ne, cuco_ptx::b32>((c), "
            "0);cuco_r_p = cuco_p; }"
            "if (cuco_r_p) { cuco_ptx::store<cuco_ptx::u32>((char*)(a), (v)); } } while (0)");
}

TEST(PtxTranslation, TakesTheFirstAddressOfACopyForSharedMemory) {
  EXPECT_EQ(translated("cp.async.cg.shared.global [%0], [%1], 16;", {{"s", ""}, {"g", ""}}),
            "do { cuco_ptx::copy(cuco_ptx::shared_address(s), (char*)(g), 16); } while (0)");
}

TEST(PtxTranslation, RefusesProductsOfOtherShapes) {
  EXPECT_EQ(translated("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0}, {%0}, {%0}, {%0};", {{"x", ""}})
                .substr(0, 17),
            "error: inline PTX");
}

TEST(PtxTranslation, RefusesBulkCopies) { EXPECT_EQ(translated("cp.async.bulk.commit_group;").substr(0, 6), "error:"); }

TEST(PtxTranslation, NamesInstructionsByWhatChangesTheirMeaning) {
  EXPECT_EQ(translated("madc.hi.cc.u32 %0, %1, %2, 0;", {{"d", ""}, {"a", ""}, {"b", ""}}),
            "do { cuco_ptx::give((d), cuco_ptx::i_madc_hi_cc<cuco_ptx::u32>((a), (b), 0)); } while (0)");
  EXPECT_EQ(translated("add.rn.ftz.f32 %0, %1, 0f3F800000;", {{"d", ""}, {"a", ""}}),
            "do { cuco_ptx::give((d), cuco_ptx::i_add<cuco_ptx::f32>((a), cuco_ptx::bits_as<float>(0x3F800000u))); } "
            "while (0)");
  EXPECT_NE(translated("add.rz.f32 %0, %1, %1;", {{"d", ""}, {"a", ""}}).find("not supported"), std::string::npos);
}

TEST(PtxTranslation, TakesRegistersApart) {
  EXPECT_EQ(translated("mov.b64 {%0, %1}, %2;", {{"l", ""}, {"h", ""}, {"x", ""}}),
            "do { cuco_ptx::unpack((x), (l), (h)); } while (0)");
}

}  // namespace
}  // namespace cuco::lowering
