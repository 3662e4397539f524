#include "agent/editable_program.h"

#include <gtest/gtest.h>

namespace cuco::agent {
namespace {

// Lines 1-3 frozen, 4-5 block 1, 6-8 frozen; then a file of which nothing may change.
EditableProgram two_files() {
  EditableProgram program;
  program.files = {{"a.cu", "one\ntwo\n// start\nfour\nfive\n// end\nseven\neight\n"}, {"b.cpp", "main\n"}};
  size_t begin = program.files[0].text.find("four");
  program.blocks = {{0, begin, begin + std::string("four\nfive\n").size()}};
  return program;
}

TEST(EditableProgram, OutlineNamesBlocksAndFrozenLines) {
  EXPECT_EQ(outline(two_files()),
            "- block 1: a.cu, lines 4-5\n- frozen: a.cu, lines 1-3, 6-8\n- frozen: b.cpp, lines 1-1\n");
}

TEST(EditableProgram, AnEmptyBlockHasAPlace) {
  EditableProgram program = two_files();
  program.blocks[0].end = program.blocks[0].begin;
  EXPECT_NE(outline(program).find("- block 1: a.cu, empty, at line 4\n"), std::string::npos);
}

TEST(EditableProgram, LeavingOutFrozenTextKeepsBlocksWhole) {
  std::string shown = shown_blocks(two_files(), 1);
  EXPECT_EQ(shown,
            "FILE: a.cu\n```cuda\none\ntwo\n// start (block 1)\nfour\nfive\n// end\nseven\neight\n```\nFILE: b.cpp\n"
            "```cuda\nmain\n```\n");
  EditableProgram longer = two_files();
  std::string filler = "x\ny\nz\nu\nv\n";
  longer.files[0].text = filler + longer.files[0].text;
  for (size_t* place : {&longer.blocks[0].begin, &longer.blocks[0].end}) *place += filler.size();
  EXPECT_TRUE(shown_blocks(longer, 1).starts_with(
      "FILE: a.cu\n```cuda\nx\n[6 frozen lines left out]\n// start (block 1)\nfour\nfive\n// end\n"))
      << shown_blocks(longer, 1);
}

TEST(EditableProgram, NumbersAreTakenFromMarkersAlone) {
  EXPECT_EQ(without_block_number("  // EVOLVE-BLOCK-START (block 12)"), "  // EVOLVE-BLOCK-START");
  EXPECT_EQ(without_block_number("f(block 12)"), "f(block 12)");
  EXPECT_EQ(without_block_number("x; (block 12)"), "x; (block 12)");
  EXPECT_EQ(without_block_number("// as in (block b)"), "// as in (block b)");
}

TEST(EditableProgram, BlocksTakeOtherTexts) {
  ProgramText changed = with_blocks(two_files(), {"4 and 5"});
  EXPECT_EQ(changed[0].text, "one\ntwo\n// start\n4 and 5\n// end\nseven\neight\n");
  EXPECT_EQ(changed[1].text, "main\n");
}

TEST(EditableProgram, TheSameTextsGiveTheSameProgram) {
  EditableProgram program = two_files();
  EXPECT_EQ(with_blocks(program, {block_text(program, 0)}), program.files);
}

}  // namespace
}  // namespace cuco::agent
