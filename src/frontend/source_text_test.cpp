#include "frontend/source_text.h"

#include <gtest/gtest.h>

namespace cuco::frontend {
namespace {

std::string text_of(const std::string& source, const model::EvolveBlock& block) {
  return source.substr(block.range.begin_byte, block.range.end_byte - block.range.begin_byte);
}

TEST(SourceText, AcceptsTabsFormFeedsAndUtf8) {
  EXPECT_TRUE(check_source_text("a.cu",
                                "int\tx;\r\n\f// gr\xc3\xb6\xc3\x9f"
                                "e\n")
                  .ok());
}

TEST(SourceText, NamesTheFirstByteThatIsNotText) {
  Status status = check_source_text("a.cu", std::string("int x;\nint \0 y;", 14));
  EXPECT_EQ(status.error().message, "a.cu:2:5: error: byte 0x00 does not belong in C++ source; expected a text file");
}

TEST(EvolveBlocks, SpanTheLinesBetweenTheMarkers) {
  std::string source = "a\n// EVOLVE-BLOCK-START\nb\nc\n// EVOLVE-BLOCK-END\nd\n";
  auto blocks = find_evolve_blocks("a.cu", source, 0);
  ASSERT_EQ(blocks->size(), 1u);
  EXPECT_EQ(text_of(source, blocks->front()), "b\nc\n");
  EXPECT_EQ(blocks->front().range.line, 3u);
}

TEST(EvolveBlocks, MayBeEmptyAndEndTheFileWithoutANewline) {
  std::string source = "/* EVOLVE-BLOCK-START */\n// EVOLVE-BLOCK-END";
  auto blocks = find_evolve_blocks("a.cu", source, 0);
  ASSERT_EQ(blocks->size(), 1u);
  EXPECT_EQ(text_of(source, blocks->front()), "");
}

TEST(EvolveBlocks, AreNotMadeBySentencesOrStrings) {
  auto blocks = find_evolve_blocks("a.cu", "// before EVOLVE-BLOCK-START\nputs(\"EVOLVE-BLOCK-END\");\n", 0);
  EXPECT_TRUE(blocks->empty());
}

TEST(EvolveBlocks, MustAlternate) {
  EXPECT_EQ(find_evolve_blocks("a.cu", "x\n  // EVOLVE-BLOCK-END\n", 0).error().message,
            "a.cu:2:6: error: EVOLVE-BLOCK-END without an EVOLVE-BLOCK-START before it");
  EXPECT_EQ(find_evolve_blocks("a.cu", "// EVOLVE-BLOCK-START\n// EVOLVE-BLOCK-START\n", 0).error().message,
            "a.cu:2:4: error: EVOLVE-BLOCK-START inside a block that is still open; expected EVOLVE-BLOCK-END first");
  EXPECT_EQ(find_evolve_blocks("a.cu", "// EVOLVE-BLOCK-START\n", 0).error().message,
            "a.cu:1:4: error: EVOLVE-BLOCK-START is never closed; expected EVOLVE-BLOCK-END");
}

}  // namespace
}  // namespace cuco::frontend
