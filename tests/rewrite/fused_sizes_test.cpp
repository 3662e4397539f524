// Kernels that send or reduce what they write, rewritten by traces of some sizes and run at others: where launches are
// like the traced ones the kernel does it there too, elsewhere the launch runs as written.
#include <gtest/gtest.h>

#include "inlined.h"
#include "sized.h"
#include "testing/share.h"

namespace cuco {
namespace {

using space::Backend;

constexpr const char* kFused = "/tile-fused/chunk-signal/cta/2KiB";
constexpr const char* kPieces = "/tile-fused/chunk-signal/cta/1KiB";
constexpr const char* kFlags = "/tile-fused/flag/cta/1KiB";
constexpr const char* kApart = "/specialised/chunk-signal/cta/2KiB";

const Sizes kTraced = {"48", "64"}, kNarrower = {"48", "32"}, kShorter = {"24", "64"}, kWide = {"48", "256"};
// Larger and smaller than what was traced, with more parts than units, and one tile.
const std::vector<Sizes> kAlike = {kTraced, kWide, {"136", "40"}, {"16", "96"}, {"8", "8"}};
// Tiles at the edges are smaller than the others.
const std::vector<Sizes> kUnlike = {{"44", "64"}, {"48", "36"}, {"7", "9"}};

const Case kTiles{"sized_tiles.cu", Backend::Lsa, kFlags, 0}, kSends{"sized_sends.cu", Backend::Lsa, kFlags, 0};

bool communicates(const std::string& kernel) {
  return kernel.find("_with_s") != kernel.npos || kernel.ends_with("_sending");
}

// The program prints what it did before, and its kernels communicate where they are `fused`, and no others do. What
// shows the results is a kernel of its own.
void expect_same(const Case& one, const SizedProgram& after, const std::vector<Sizes>& all, bool fused) {
  SizedProgram before(kFolder / one.program);
  for (const Sizes& sizes : all) {
    SCOPED_TRACE(join(sizes, " x "));
    std::string expected = before.at(one, sizes);
    ASSERT_TRUE(expected.ends_with("\nok")) << expected;
    auto [text, kernels] = after.run_at(one, sizes);
    EXPECT_EQ(text, expected);
    for (const std::string& kernel : kernels) EXPECT_TRUE(kernel == "show" || communicates(kernel) == fused) << kernel;
  }
}

// Every third of them runs by default, so each program does.
class FusedAtOtherSizes : public testing::SharedOut<Case> {};
INSTANTIATE_TEST_SUITE_P(Programs, FusedAtOtherSizes,
                         ::testing::Values(kTiles, Case{"sized_tiles.cu", Backend::Gin, kFused, 0},
                                           Case{"sized_tiles.cu", Backend::Hybrid, kFused, 0},
                                           Case{"sized_tiles.cu", Backend::Hybrid, kApart, 0},
                                           Case{"sized_sums.cu", Backend::Lsa, kFlags, 0}, kSends,
                                           Case{"sized_sums.cu", Backend::Gin, kPieces, 0},
                                           Case{"sized_sums.cu", Backend::Hybrid, kPieces, 0},
                                           Case{"sized_sends.cu", Backend::Gin, kFused, 0},
                                           Case{"sized_sends.cu", Backend::Hybrid, kFused, 0}));

TEST(FusedSizes, AProgramWithoutALaunchLikeItsPlanSaysSo) {
  SizedProgram after = built_from(rewritten_text(kTiles, traced_at(kTiles, kTraced, {kNarrower, kShorter})));
  auto says = [&](const Sizes& sizes) {
    return after.with_fallbacks_at(kTiles, sizes).find("no launch has the grid") != std::string::npos;
  };
  EXPECT_FALSE(says(kWide));
  EXPECT_TRUE(says(kUnlike[0]));
}

TEST_P(FusedAtOtherSizes, TheKernelCommunicatesWhereLaunchesAreLikeTheTracedOnes) {
  SizedProgram after = built_from(rewritten_text(GetParam(), traced_at(GetParam(), kTraced, {kNarrower, kShorter})));
  expect_same(GetParam(), after, kAlike, true);
  expect_same(GetParam(), after, kUnlike, false);
}

TEST(FusedSizes, TilesFollowTheArgumentsWhereFurtherSizesShowIt) {
  expect_in_order(
      rewritten_text(kTiles, traced_at(kTiles, kTraced, {kNarrower, kShorter})),
      {"cuco::comm::launch_fused(\n", ".of_threads(8, 8, 1).when(", "cuco::comm::value_of(width) == 8)",
       ".message(4 * cuco::comm::value_of(rows) * cuco::comm::value_of(columns)).row_piece(32)",
       ".in_tiles(cuco::comm::Tiles().step(32, 32 * cuco::comm::value_of(columns), 0).piece(32)"
       ".rows(8, 4 * cuco::comm::value_of(columns))),\n"});
}

TEST(FusedSizes, TilesOfSendsFollowTheArgumentsToo) {
  expect_in_order(rewritten_text(kSends, traced_at(kSends, kTraced, {kNarrower, kShorter})),
                  {"{cuco::comm::Shape().on_grid(cuco::comm::quotient(cuco::comm::value_of(columns), 8), "
                   "cuco::comm::quotient(cuco::comm::value_of(rows), 8), 1).of_threads(8, 8, 1)"
                   ".writes(cuco::comm::offset_by(own, 4 * cuco::comm::value_of(columns)), "
                   "cuco::comm::Tiles().step(32, 32 * cuco::comm::value_of(columns), 0).piece(32)"
                   ".rows(8, 4 * cuco::comm::value_of(columns)), "
                   "4 * cuco::comm::value_of(rows) * cuco::comm::value_of(columns))}"});
}

TEST(FusedSizes, OneTracedSizeHoldsForItselfAlone) {
  std::string text = rewritten_text(kTiles, traced_at(kTiles, kTraced, {}));
  expect_in_order(text, {".on_grid(8, 6, 1).of_threads(8, 8, 1)", ".step(32, 2048, 0).piece(32).rows(8, 256)"});
  SizedProgram after = built_from(text);
  expect_same(kTiles, after, {kTraced}, true);
  expect_same(kTiles, after, {kWide}, false);
}

// Rows of more than 64 columns are in tiles of another width, for which no term stands.
TEST(FusedSizes, AFormThatDependsOnTheSizeHoldsForTheTracedOneAlone) {
  const Sizes first = {"48", "64", "wider"}, wide = {"48", "128", "wider"}, shorter = {"24", "64", "wider"};
  std::string text = rewritten_text(kTiles, traced_at(kTiles, first, {wide, shorter}));
  EXPECT_NE(text.find("on_grid(8, 6, 1)"), text.npos) << text.substr(0, 2000);
  SizedProgram after = built_from(text);
  expect_same(kTiles, after, {first}, true);
  expect_same(kTiles, after, {wide, shorter}, false);
}

// The planted fault: steps of the traced size for all launches. That tiles do not fill the message is seen when the
// program runs; without that look, results are wrong.
TEST(FusedSizes, StepsOfTheTracedSizeAreNotUsedAtOthers) {
  std::string text = rewritten_text(kTiles, traced_at(kTiles, kTraced, {kNarrower, kShorter}));
  std::string planted =
      replace_all(text, ".step(32, 32 * cuco::comm::value_of(columns), 0).piece(32).rows(8, 4 * cuco::comm::value_of(columns))",
                  ".step(32, 2048, 0).piece(32).rows(8, 256)");
  ASSERT_NE(planted, text);
  expect_same(kTiles, built_from(planted), {kWide}, false);
  const std::string look = "filled_by(shape.tiles, shape.grid) != shape.message_bytes", whole = inlined(planted);
  ASSERT_NE(whole.find(look), whole.npos);
  SizedProgram before(kFolder / kTiles.program), after = built_from(replace_all(whole, look, "false"));
  EXPECT_EQ(after.at(kTiles, kTraced), before.at(kTiles, kTraced));
  EXPECT_NE(after.at(kTiles, kWide), before.at(kTiles, kWide));
}

// The same of a kernel that sends message by message.
TEST(FusedSizes, StepsOfSendsAtTheTracedSizeAreNotUsedAtOthers) {
  std::string text = rewritten_text(kSends, traced_at(kSends, kTraced, {kNarrower, kShorter}));
  std::string planted =
      replace_all(text, ".step(32, 32 * cuco::comm::value_of(columns), 0).piece(32).rows(8, 4 * cuco::comm::value_of(columns))",
                  ".step(32, 2048, 0).piece(32).rows(8, 256)");
  ASSERT_NE(planted, text);
  expect_same(kSends, built_from(planted), {kWide}, false);
  const std::string look = "filled_by(one.tiles, shape.grid) != one.filled", whole = inlined(planted);
  ASSERT_NE(whole.find(look), whole.npos);
  SizedProgram before(kFolder / kSends.program), after = built_from(replace_all(whole, look, "false"));
  EXPECT_EQ(after.at(kSends, kTraced), before.at(kSends, kTraced));
  EXPECT_NE(after.at(kSends, kWide), before.at(kSends, kWide));
}

}  // namespace
}  // namespace cuco
