#include "agent/sections.h"

#include <gtest/gtest.h>

namespace cuco::agent {
namespace {

std::string lines(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += "0123456789 line\n";  // 4 tokens.
  return text;
}

TEST(Sections, WhatFitsIsLeftAlone) {
  Result<FittedSections> fitted = fit_sections({{"program", lines(10), 0}, {"analysis", lines(5), 1}}, 60);
  ASSERT_TRUE(fitted.ok());
  EXPECT_EQ(fitted->texts["analysis"], lines(5));
  EXPECT_EQ(size_report(fitted->sizes), "about 60 tokens: program 40, analysis 20");
}

TEST(Sections, SectionsGiveWayInOrderByWholeLines) {
  Result<FittedSections> fitted =
      fit_sections({{"diagnosis", lines(50), 2}, {"program", lines(10), 0}, {"analysis", lines(50), 1}}, 40 + 200 + 60);
  ASSERT_TRUE(fitted.ok()) << fitted.error().message;
  EXPECT_EQ(fitted->texts["program"], lines(10));
  EXPECT_EQ(fitted->texts["diagnosis"], lines(50));
  EXPECT_EQ(fitted->texts["analysis"], lines(13) + "[38 lines left out]\n");
  EXPECT_EQ(fitted->sizes[2], (SectionSize{"analysis", 57, 200}));
}

TEST(Sections, TheNextGivesWayWhenOneIsUsedUp) {
  Result<FittedSections> fitted =
      fit_sections({{"program", lines(10), 0}, {"analysis", lines(50), 1}, {"diagnosis", lines(50), 2}}, 100);
  ASSERT_TRUE(fitted.ok()) << fitted.error().message;
  EXPECT_EQ(fitted->texts["analysis"], "[51 lines left out]\n");
  EXPECT_TRUE(fitted->texts["diagnosis"].starts_with(lines(10)));
}

TEST(Sections, AProgramThatDoesNotFitIsNeverCut) {
  Result<FittedSections> fitted = fit_sections({{"program", lines(100), 0}, {"analysis", lines(5), 1}}, 300);
  ASSERT_FALSE(fitted.ok());
  EXPECT_EQ(fitted.error().message,
            "the prompt does not fit: what must stay whole takes more than 300 tokens (program 400)");
}

}  // namespace
}  // namespace cuco::agent
