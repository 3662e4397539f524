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

TEST(EditableProgram, WholeProgramsHaveTheirBlocksNumbered) {
  EXPECT_EQ(shown(two_files(), Detail::Whole, ""),
            "FILE: a.cu\n```cuda\none\ntwo\n// start (block 1)\nfour\nfive\n// end\nseven\neight\n```\nFILE: b.cpp\n"
            "```cuda\nmain\n```\n");
}

TEST(EditableProgram, LeavingOutFrozenTextKeepsBlocksWhole) {
  EditableProgram longer = two_files();
  std::string filler;
  for (int i = 0; i < 50; ++i) filler += "x\n";
  longer.files[0].text = filler + longer.files[0].text;
  for (size_t* place : {&longer.blocks[0].begin, &longer.blocks[0].end}) *place += filler.size();
  std::string edges = shown(longer, Detail::FrozenEdges, "");
  EXPECT_NE(edges.find("x\n[13 frozen lines left out]\nx\n"), std::string::npos) << edges;
  EXPECT_NE(edges.find("// start (block 1)\nfour\nfive\n// end\n"), std::string::npos) << edges;
}

// A library, frozen and as block 1, and block 2 that uses it.
EditableProgram with_library() {
  EditableProgram program;
  std::string frozen = "namespace l {\nstruct A {};\nstruct B {};\n}\n// start\n";
  std::string library = "namespace l {\nvoid f(A a) {\n  g(a);\n}\nvoid h() {}\n}\n";
  std::string rest = "void step() { l::f({}); }\n";
  program.files = {{"a.cu", frozen + library + "// end\n// start\n" + rest + "// end\n"}};
  size_t first = frozen.size(), second = frozen.size() + library.size() + std::string("// end\n// start\n").size();
  program.blocks = {{0, first, first + library.size()}, {0, second, second + rest.size()}};
  return program;
}

TEST(EditableProgram, LibrariesInShortAreWhatIsUsedOrOffered) {
  EXPECT_EQ(
      shown(with_library(), Detail::LibrariesInShort, ""),
      "FILE: a.cu\n```cuda\nnamespace l {\nstruct A {};\n}\n// start (block 1, in short)\nnamespace l {\nvoid f(A a);"
      "\n}\n// end\n// start (block 2)\nvoid step() { l::f({}); }\n// end\n```\n");
  EXPECT_NE(shown(with_library(), Detail::LibrariesInShort, "call h()").find("void h();"), std::string::npos);
  EXPECT_NE(shown(with_library(), Detail::FrozenInShort, "").find("  g(a);"), std::string::npos)
      << "a block is whole as long as there is room";
  EXPECT_EQ(shown_blocks_only(with_library()), "BLOCK: 2\n```cuda\nvoid step() { l::f({}); }\n```\n");
}

TEST(EditableProgram, LibrariesByNameLeaveOutWhatOnlyTheirDeclarationsNeed) {
  std::string text = shown(with_library(), Detail::LibrariesByName, "");
  EXPECT_NE(text.find("void f(A a);"), std::string::npos) << text;
  EXPECT_EQ(text.find("struct A"), std::string::npos) << text;
  EXPECT_NE(shown(with_library(), Detail::LibrariesByName, "an A").find("struct A {};"), std::string::npos);
}

TEST(EditableProgram, NumbersAreTakenFromMarkersAlone) {
  EXPECT_EQ(without_block_number("  // EVOLVE-BLOCK-START (block 12)"), "  // EVOLVE-BLOCK-START");
  EXPECT_EQ(without_block_number("// EVOLVE-BLOCK-START (block 1, in short)"), "// EVOLVE-BLOCK-START");
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
