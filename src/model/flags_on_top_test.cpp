#include "model/flags_on_top.h"

#include <gtest/gtest.h>

namespace cuco::model {
namespace {

TEST(FlagsOnTop, GivenFoldersAreSearchedFirstAndGivenMacrosCount) {
  BuildFlags own, given;
  own.include_folders = {"include"}, own.definitions = {"N=4"}, own.standard = "c++20", own.region = "step";
  given.include_folders = {"other"}, given.definitions = {"N=8"};
  BuildFlags both = on_top(given, own);
  EXPECT_EQ(both.include_folders, (std::vector<std::string>{"other", "include"}));
  EXPECT_EQ(both.definitions, (std::vector<std::string>{"N=4", "N=8"}));
  EXPECT_EQ(both.standard, "c++20");
  EXPECT_EQ(both.region, "step");
  given.standard = "c++14", given.region = "main";
  EXPECT_EQ(on_top(given, own).standard, "c++14");
  EXPECT_EQ(on_top(given, own).region, "main");
}

TEST(FlagsOnTop, FlagsOfEachFileGetTheGivenOnes) {
  BuildFlags own, given;
  own.of_files.resize(2);
  own.of_files[1].definitions = {"REAL=float"};
  given.definitions = {"FAST"};
  BuildFlags both = on_top(given, own);
  EXPECT_EQ(both.of_file(0).definitions, std::vector<std::string>{"FAST"});
  EXPECT_EQ(both.of_file(1).definitions, (std::vector<std::string>{"REAL=float", "FAST"}));
}

}  // namespace
}  // namespace cuco::model
