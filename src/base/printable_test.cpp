#include "base/printable.h"

#include <gtest/gtest.h>

namespace cuco {
namespace {

TEST(Printable, TextStaysAsItIs) {
  for (const char* text : {"", "file.cu:3:1: error", "two\nlines\tand a tab", "grün 漢 🙂 é"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, WhatATerminalWouldObeyIsEscaped) {
  EXPECT_EQ(printable("\x1b[2Jgone\x07\r"), "\\x1b[2Jgone\\x07\\x0d");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m")
      << "an escape sequence in one character";
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "txt"),
            "\\xe2\\x80\\xaetxt")
      << "turns the direction of writing";
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Printable, BytesThatAreNoUtf8AreEscaped) {
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "longer than it need be";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair";
}

}  // namespace
}  // namespace cuco
