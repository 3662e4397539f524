#include "space/directive.h"

#include <gtest/gtest.h>

#include <set>

#include "space/fixtures.h"

namespace cuco::space {
namespace {

TEST(Directive, EveryCombinationRoundTripsThroughItsOwnText) {
  std::set<std::string> texts;
  for_each_combination([&](const Directive& combination) {
    Result<Directive> parsed = parse_directive(to_text(combination));
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(*parsed, combination) << to_text(combination);
    texts.insert(to_text(combination));
  });
  EXPECT_EQ(texts.size(), combination_count());
  EXPECT_EQ(texts.size(), 5u * 5 * 6 * 4 * 10);
}

TEST(Directive, EveryPowerOfTwoRoundTripsAsChunk) {
  for (int shift = 4; shift < 64; ++shift) {
    Directive directive{Backend::Gin, Placement::Split, SyncScope::ChunkSignal, Issuer::Warp, uint64_t{1} << shift};
    ASSERT_TRUE(parse_directive(to_text(directive))) << to_text(directive);
    EXPECT_EQ(*parse_directive(to_text(directive)), directive);
  }
}

TEST(Directive, ReadsTheDocumentedExamples) {
  EXPECT_EQ(*parse_directive("gin/split/peer-signal/cta/whole"),
            (Directive{Backend::Gin, Placement::Split, SyncScope::PeerSignal, Issuer::Cta, kWholeMessage}));
  EXPECT_EQ(*parse_directive("lsa/tile-fused/flag/multi-cta/64KiB"),
            (Directive{Backend::Lsa, Placement::TileFused, SyncScope::Flag, Issuer::MultiCta, 65536}));
}

TEST(Directive, WritesChunksInTheLargestUnit) {
  EXPECT_EQ(chunk_text(16), "16B");
  EXPECT_EQ(chunk_text(512), "512B");
  EXPECT_EQ(chunk_text(1024), "1KiB");
  EXPECT_EQ(chunk_text(uint64_t{2} << 30), "2GiB");
  EXPECT_EQ(chunk_text(0), "whole");
}

std::string message_of(std::string_view text) {
  Result<Directive> parsed = parse_directive(text);
  return parsed ? "parsed" : parsed.error().message;
}

TEST(Directive, NamesTheWrongWordWhatIsAllowedAndTheClosest) {
  EXPECT_EQ(message_of("gim/split/peer-signal/cta/whole"),
            "backend `gim` is not one of host, lsa, gin, hybrid, multimem (did you mean `gin`?)");
  EXPECT_EQ(message_of("gin/splt/peer-signal/cta/whole"),
            "placement `splt` is not one of deferred, split, stream, tile-fused, specialised (did you mean `split`?)");
  EXPECT_EQ(message_of("gin/split/quux/cta/whole"),
            "sync `quux` is not one of barrier, peer-signal, chunk-signal, flag, stream-event, host-sync");
  EXPECT_EQ(message_of("gin/split/flag//whole"), "issuer `` is not one of thread, warp, cta, multi-cta");
}

TEST(Directive, RejectsChunkThatIsNotAPowerOfTwoOfAtLeastSixteen) {
  EXPECT_EQ(message_of("gin/split/flag/cta/48"), "chunk 48 is not a power of two of at least 16");
  EXPECT_EQ(message_of("gin/split/flag/cta/8B"), "chunk 8B is not a power of two of at least 16");
  EXPECT_EQ(message_of("gin/split/flag/cta/0"), "chunk 0 is not a power of two of at least 16");
  EXPECT_EQ(message_of("gin/split/flag/cta/whol"),
            "chunk `whol` is not `whole` or a size such as 64KiB (units: B, KiB, MiB, GiB) (did you mean `whole`?)");
  for (std::string_view chunk : {"64kb", "-16", "16 ", "99999999999999999999", "17179869184GiB", ""})
    EXPECT_NE(message_of("gin/split/flag/cta/" + std::string(chunk)), "parsed") << chunk;
}

TEST(Directive, RejectsTextWithAnotherNumberOfParts) {
  EXPECT_EQ(message_of("gin/split"),
            "directive `gin/split` has 2 parts; write backend/placement/sync/issuer/chunk, such as "
            "gin/split/peer-signal/cta/whole");
  EXPECT_NE(message_of(""), "parsed");
  EXPECT_NE(message_of("gin/split/peer-signal/cta/whole/"), "parsed");
}

TEST(Directive, TellsTheByteOfTheWrongWord) {
  Directive ignored;
  std::optional<TextFault> fault = read_directive("gin/split/flag/cat/whole", ignored);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->offset, 15u);
}

}  // namespace
}  // namespace cuco::space
