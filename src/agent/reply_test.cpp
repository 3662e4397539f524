#include "agent/reply.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/text.h"

namespace cuco::agent {
namespace {

const ProgramText kOne = {{"a.cu", "int a;\nint b;\nint c;\nint b;\n"}};
const ProgramText kTwo = {{"a.cu", "int a;\n"}, {"b.cpp", "int b;\n"}};

std::string text_after(const ProgramText& program, const std::string& reply, size_t file = 0) {
  Result<ProgramText> changed = apply_reply(program, reply);
  return changed ? (*changed)[file].text : "error: " + changed.error().message;
}

std::string edit(const std::string& search, const std::string& replace) {
  return concat("<<<<<<< SEARCH\n", search, "=======\n", replace, ">>>>>>> REPLACE\n");
}

TEST(Reply, AWholeFileReplacesTheFile) {
  EXPECT_EQ(text_after(kOne, "Here it is:\n```cuda\nint x;\n\nint y;\n```\nDone."), "int x;\n\nint y;\n");
  EXPECT_EQ(text_after(kOne, "```\r\nint x;\r\n```\r\n"), "int x;\n");
}

TEST(Reply, AFenceInsideTheCodeNeedsALongerFenceAround) {
  EXPECT_EQ(text_after(kOne, "````\n// ```\nint x;\n````\n"), "// ```\nint x;\n");
}

TEST(Reply, NamedBlocksGoToTheirFilesAndOthersAreIllustrations) {
  std::string reply = "As in\n```\nsketch\n```\n**FILE: `b.cpp`**\n```cpp\nint z;\n```\n";
  EXPECT_EQ(text_after(kTwo, reply, 0), "int a;\n");
  EXPECT_EQ(text_after(kTwo, reply, 1), "int z;\n");
}

TEST(Reply, WhatIsNoCodeIsExplained) {
  EXPECT_EQ(text_after(kOne, "I cannot do that."),
            "error: the reply holds neither a code block nor a SEARCH/REPLACE edit; send one of them");
  EXPECT_EQ(text_after(kOne, ""),
            "error: the reply holds neither a code block nor a SEARCH/REPLACE edit; send one of them");
  EXPECT_EQ(text_after(kOne, "text\n```\nint x;\n"),
            "error: the code block that opens in line 2 of the reply is never closed");
  EXPECT_EQ(text_after(kOne, "```\nint x;\n```\n```\nint y;\n```\n"),
            "error: the reply holds 2 code blocks; send the whole file in exactly one, or name the file with a line "
            "`FILE: path` before the block that counts");
  EXPECT_EQ(text_after(kTwo, "```\nint x;\n```\n"),
            "error: the program has several files; put a line `FILE: path` before each change");
  EXPECT_EQ(text_after(kTwo, "FILE: c.cu\n```\nint x;\n```\n"),
            "error: FILE: c.cu is not a file of the program; its files: a.cu, b.cpp");
}

TEST(Reply, AWholeFileThatLeavesCodeOutIsRefused) {
  EXPECT_EQ(text_after(kOne, "```\nint x;\n// ... rest unchanged\n```\n"),
            "error: line 2 of the whole file leaves code out: `// ... rest unchanged`; send every line, or "
            "SEARCH/REPLACE edits");
  ProgramText program = {{"a.cu", "// ... as the paper says\nint a;\n"}};
  EXPECT_EQ(text_after(program, "```\n// ... as the paper says\nint b;\n```\n"), "// ... as the paper says\nint b;\n");
}

TEST(Reply, AReplyThatChangesNothingIsRefused) {
  EXPECT_EQ(text_after({{"a.cu", "int a;\n"}}, "```\nint a;\n```\n"),
            "error: the reply leaves the program as it is; send what must change");
}

TEST(Reply, EditsApplyOneAfterTheOther) {
  std::string reply = "First\n" + edit("int a;\n", "int a2;\nint a3;\n") + "then\n" + edit("int a3;\nint b;\n", "");
  EXPECT_EQ(text_after(kOne, reply), "int a2;\nint c;\nint b;\n");
}

TEST(Reply, EditsInsideAFenceAreRead) {
  EXPECT_EQ(text_after(kOne, "```diff\n" + edit("int c;\n", "int d;\n") + "```\n"), "int a;\nint b;\nint d;\nint b;\n");
}

TEST(Reply, EditsGoToTheFileNamedLast) {
  std::string reply = "FILE: b.cpp\n" + edit("int b;\n", "int q;\n") + "FILE: a.cu\n" + edit("int a;\n", "int p;\n");
  EXPECT_EQ(text_after(kTwo, reply, 0), "int p;\n");
  EXPECT_EQ(text_after(kTwo, reply, 1), "int q;\n");
}

TEST(Reply, AnEditThatFitsTwiceIsRefused) {
  EXPECT_EQ(text_after(kOne, edit("int b;\n", "int x;\n")),
            "error: edit 1: its SEARCH text stands 2 times in a.cu (lines 2, 4); add lines around it until it stands "
            "once");
  EXPECT_EQ(text_after(kOne, edit("int c;\nint b;\n", "int x;\n")), "int a;\nint b;\nint x;\n");
}

TEST(Reply, AnEditThatDoesNotFitSaysWhereItBeginsToDiffer) {
  EXPECT_EQ(
      text_after(kOne, edit("int a;\nint b;\nint d;\n", "")),
      "error: edit 1: its SEARCH text is not in a.cu; its first 2 lines stand at line 1, then SEARCH has `int d;` "
      "where line 3 is `int c;`");
  EXPECT_EQ(text_after(kOne, edit("  int a;\n", "")),
            "error: edit 1: its SEARCH text is not in a.cu; its first line stands, with other white space, in line 1: "
            "`int a;`; copy it byte for byte");
  EXPECT_EQ(text_after(kOne, edit("float f;\n", "")),
            "error: edit 1: its SEARCH text is not in a.cu; no line is `float f;`; copy lines of the file byte for "
            "byte");
}

TEST(Reply, BrokenEditsAreExplained) {
  EXPECT_EQ(text_after(kOne, "x\n<<<<<<< SEARCH\nint a;\n"),
            "error: the SEARCH in line 2 of the reply has no ======= after it");
  EXPECT_EQ(text_after(kOne, "<<<<<<< SEARCH\nint a;\n=======\nint z;\n"),
            "error: the SEARCH in line 1 of the reply has no >>>>>>> REPLACE after it");
  EXPECT_EQ(text_after(kOne, edit("", "int z;\n")),
            "error: edit 1: its SEARCH text is empty; name the lines beside which the text belongs");
}

// Any change of a few bytes gives a program or a sentence, never a crash.
TEST(Reply, DamagedRepliesAreRead) {
  const std::string whole = "FILE: b.cpp\n" + edit("int b;\n", "int q;\n") + "FILE: a.cu\n```\nint p;\n```\n";
  Random random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string reply = whole;
    for (int change = 0; change < 3; ++change) {
      size_t at = random.below(reply.size());
      if (random.chance(0.5))
        reply.erase(at, 1 + random.below(8));
      else
        reply.insert(at, 1, "`<>=\n FILE:"[random.below(10)]);
    }
    Result<ProgramText> changed = apply_reply(kTwo, reply);
    if (changed)
      EXPECT_NE(*changed, kTwo);
    else
      EXPECT_FALSE(changed.error().message.empty());
  }
}

TEST(Reply, AFileKeepsItsMissingLastNewline) {
  EXPECT_EQ(text_after({{"a.cu", "int a;\nint b;"}}, edit("int b;\n", "int c;\n")), "int a;\nint c;");
}

}  // namespace
}  // namespace cuco::agent
