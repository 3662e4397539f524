#include "vcluster/runtime/engine/line_table.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

// A unit with files a.cu and lib/b.h; its program makes rows at 0x1000 (a.cu:5), 0x1004 (b.h:9), and ends at 0x1010.
std::string sample_section() {
  std::string program{
      "\0\x09\x02\0\x10\0\0\0\0\0\0"  // Set address 0x1000.
      "\x03\x04\x01"                  // Line 5, copy.
      "\x04\x02"                      // File 2.
      "\x02\x04\x03\x04\x01"          // Address + 4, line 9, copy.
      "\x02\x0c\0\x01\x01",           // Address + 12, end of the sequence.
      11 + 3 + 2 + 5 + 5};
  std::string header{
      "\x01\x01\x01\xfb\x0e\x0d"
      "\0\x01\x01\x01\x01\0\0\0\x01\0\0\x01"
      "lib\0\0"
      "a.cu\0\0\0\0"
      "b.h\0\x01\0\0\0",
      6 + 12 + 5 + 8 + 8};
  auto number = [](uint32_t value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); };
  std::string body = std::string("\x04\0", 2) + number(static_cast<uint32_t>(header.size())) + header + program;
  return number(static_cast<uint32_t>(body.size())) + body;
}

TEST(LineTable, GivesEveryAddressItsRow) {
  LineTable table = parse_line_table(sample_section());
  const LineRow* first = find_row(table, 0x1003);
  const LineRow* second = find_row(table, 0x100f);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(table.files[first->file], "a.cu");
  EXPECT_EQ(first->line, 5u);
  EXPECT_EQ(table.files[second->file], "lib/b.h");
  EXPECT_EQ(second->line, 9u);
}

TEST(LineTable, KnowsNothingBeforeAndBeyondTheCode) {
  LineTable table = parse_line_table(sample_section());
  EXPECT_EQ(find_row(table, 0xfff), nullptr);
  EXPECT_EQ(find_row(table, 0x1010), nullptr);
}

TEST(LineTable, SurvivesEveryTruncation) {
  std::string section = sample_section();
  for (size_t bytes = 0; bytes < section.size(); bytes++) parse_line_table(section.substr(0, bytes));
  EXPECT_TRUE(parse_line_table("").rows.empty());
}

TEST(ElfSection, IsEmptyInWhatIsNoElfFile) {
  EXPECT_TRUE(elf_section("no", ".debug_line").empty());
  EXPECT_TRUE(elf_section(std::string(100, 'x'), ".debug_line").empty());
}

}  // namespace
}  // namespace cuco::vcluster
