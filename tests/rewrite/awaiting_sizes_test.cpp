// Kernels whose blocks wait for what they read, rewritten by traces of some sizes and run at others: where launches are
// like the traced ones blocks wait there too, elsewhere the launch waits on its stream.
#include <gtest/gtest.h>

#include "nvcc_compile.h"
#include "sized.h"
#include "testing/share.h"

namespace cuco {
namespace {

using space::Backend;

Case rows_with(Backend backend, const char* way) { return {"sized_rows.cu", backend, way, 1, space::Waits::Blocks}; }
const Case kRows = rows_with(Backend::Lsa, "/stream/flag/cta/2KiB");

const Sizes kTraced = {"48", "64"}, kNarrower = {"48", "32"}, kShorter = {"24", "64"}, kWide = {"48", "256"};
const std::vector<Sizes> kFurther = {kNarrower, kShorter};
// Larger and smaller than what was traced, and as many blocks of rows as ranks.
const std::vector<Sizes> kAlike = {kTraced, kWide, {"136", "96"}, {"16", "96"}, {"8", "32"}};
// Blocks at the edges have fewer columns or rows than the others; one block for all rows.
const std::vector<Sizes> kUnlike = {{"48", "36"}, {"7", "64"}, {"2", "64"}};

// What the blocks wait by is launched only for blocks that wait.
bool waits_in_blocks(const std::set<std::string>& kernels) { return kernels.contains("await_begun"); }

void expect_same(const Case& one, const SizedProgram& after, const std::vector<Sizes>& all, bool in_blocks) {
  SizedProgram before(kFolder / one.program);
  for (const Sizes& sizes : all) {
    SCOPED_TRACE(join(sizes, " x "));
    std::string expected = before.at(one, sizes);
    ASSERT_TRUE(expected.ends_with("\nok")) << expected;
    auto [text, kernels] = after.run_at(one, sizes);
    EXPECT_EQ(text, expected);
    EXPECT_TRUE(kernels.contains("blend_waiting")) << join({kernels.begin(), kernels.end()}, " ");
    EXPECT_EQ(waits_in_blocks(kernels), in_blocks);
  }
}

std::string note_of(const model::AccessTrace& trace) {
  Result<rewrite::Rewritten> result = rewritten_by(kRows, trace);
  if (!result) return result.error().message;
  for (const std::string& note : result->notes)
    if (note.find("waits block by block") != note.npos) return note.substr(note.find("waits block by block"));
  return "";
}

class AwaitingAtOtherSizes : public testing::SharedOut<Case> {};
INSTANTIATE_TEST_SUITE_P(Backends, AwaitingAtOtherSizes,
                         ::testing::Values(kRows, rows_with(Backend::Gin, "/stream/chunk-signal/cta/2KiB"),
                                           rows_with(Backend::Hybrid, "/stream/chunk-signal/cta/2KiB")));

TEST_P(AwaitingAtOtherSizes, BlocksWaitWhereLaunchesAreLikeTheTracedOnes) {
  SizedProgram after = built_from(rewritten_text(GetParam(), traced_at(GetParam(), kTraced, kFurther)));
  expect_same(GetParam(), after, kAlike, true);
  expect_same(GetParam(), after, kUnlike, false);
}

TEST(AwaitingSizes, BytesFollowTheArgumentsWhereFurtherSizesShowIt) {
  model::AccessTrace trace = traced_at(kRows, kTraced, kFurther);
  expect_in_order(rewritten_text(kRows, trace),
                  {"{cuco::comm::Shape().on_grid(cuco::comm::quotient(cuco::comm::value_of(columns), 32), "
                   "cuco::comm::quotient(cuco::comm::value_of(rows), 8), 1).of_threads(32, 1, 1)"
                   ".when(cuco::comm::value_of(widens) == 0).reads(all, cuco::comm::Span().along(1)"
                   ".from(-4 * cuco::comm::value_of(columns)).step(32 * cuco::comm::value_of(columns))"
                   ".length(40 * cuco::comm::value_of(columns)))});\n"});
  EXPECT_EQ(note_of(trace),
            "waits block by block for what it reads, in launches like the traced ones; which blocks read which bytes "
            "held at further sizes");
}

// The second size has the traced grid with rows of another length, for which bytes of the traced length are wrong.
TEST(AwaitingSizes, OneTracedSizeHoldsForItselfAlone) {
  model::AccessTrace trace = traced_at(kRows, kTraced, {kNarrower});
  EXPECT_EQ(note_of(trace),
            "waits block by block for what it reads, in launches of exactly the traced shape: fewer than two launches "
            "of other sizes were traced");
  std::string text = rewritten_text(kRows, trace), guard = " && cuco::comm::value_of(columns) == 64";
  SizedProgram after = built_from(text);
  expect_same(kRows, after, {kTraced}, true);
  expect_same(kRows, after, {{"48", "36"}, kWide}, false);
  const std::string said = "a kernel does not wait for what it reads block by block: no launch has the grid and block";
  EXPECT_EQ(after.with_fallbacks_at(kRows, kTraced).find(said), std::string::npos);
  EXPECT_NE(after.with_fallbacks_at(kRows, kWide).find(said), std::string::npos);
  ASSERT_NE(text.find(guard), text.npos) << text.substr(0, 2000);
  std::string without = built_from(replace_all(text, guard, "")).at(kRows, {"48", "36"});
  EXPECT_NE(without.find("race"), without.npos) << without;
}

// How many rows around a block count depends on their length, for which no term stands.
TEST(AwaitingSizes, ReadsThatDoNotScaleHoldForTheTracedSizeAlone) {
  const Sizes first = {"48", "64", "widens"}, wide = {"48", "128", "widens"}, shorter = {"24", "64", "widens"};
  model::AccessTrace trace = traced_at(kRows, first, {wide, shorter});
  EXPECT_EQ(note_of(trace),
            "waits block by block for what it reads, in launches of exactly the traced shape: no product of its "
            "launch's numbers gives the bytes that a block reads at all traced sizes");
  SizedProgram after = built_from(rewritten_text(kRows, trace));
  expect_same(kRows, after, {first}, true);
  expect_same(kRows, after, {wide, shorter}, false);
}

// The planted fault: bytes of the traced size for all launches, of which blocks of longer rows wait for too little.
// Blocks that wait for more than they read are a near miss.
TEST(AwaitingSizes, BytesOfTheTracedSizeAreTooFewAtOthers) {
  std::string text = rewritten_text(kRows, traced_at(kRows, kTraced, kFurther));
  const std::string bytes =
      ".from(-4 * cuco::comm::value_of(columns)).step(32 * cuco::comm::value_of(columns))"
      ".length(40 * cuco::comm::value_of(columns))";
  ASSERT_NE(text.find(bytes), text.npos);
  SizedProgram planted = built_from(replace_all(text, bytes, ".from(-256).step(2048).length(2560)"));
  EXPECT_EQ(planted.at(kRows, kTraced), SizedProgram(kFolder / kRows.program).at(kRows, kTraced));
  std::string found = planted.at(kRows, kWide);
  EXPECT_NE(found.find("race"), found.npos) << found;
  std::string more = replace_all(bytes, "40 *", "72 *");
  expect_same(kRows, built_from(replace_all(text, bytes, more)), {kWide}, true);
}

TEST(AwaitingSizesNvcc, CompilesFormsOfOtherSizes) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's header is not here";
  ScratchFolder scratch = ScratchFolder::make("cuco-nvcc").value();
  std::string text = rewritten_text(kRows, traced_at(kRows, kTraced, kFurther));
  ASSERT_TRUE(write_file(scratch.path() / "program.cu", text));
  EXPECT_EQ(compile(scratch.path() / "program.cu", "sm_90", {}), "");
}

}  // namespace
}  // namespace cuco
