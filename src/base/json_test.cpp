#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cuco {
namespace {

TEST(Json, NestsWithTwoBlanksALevel) {
  JsonWriter json;
  json.begin_object().field("name", "s1").key("sizes").begin_array().value(1).value(2).end_array();
  json.field("done", true).end_object();
  EXPECT_EQ(json.take(),
            "{\n"
            "  \"name\": \"s1\",\n"
            "  \"sizes\": [\n"
            "    1,\n"
            "    2\n"
            "  ],\n"
            "  \"done\": true\n"
            "}\n");
}

TEST(Json, EmptyContainersStayOnOneLine) {
  JsonWriter json;
  json.begin_object().key("a").begin_array().end_array().key("b").begin_object().end_object().end_object();
  EXPECT_EQ(json.take(), "{\n  \"a\": [],\n  \"b\": {}\n}\n");
}

TEST(Json, QuotedEscapesWhatJsonForbids) {
  EXPECT_EQ(json_quoted("a\"b\\c\nd\te\x01"), "\"a\\\"b\\\\c\\nd\\te\\u0001\"");
}

TEST(Json, NumbersReadBackExactly) {
  JsonWriter json;
  json.begin_array().value(0.1).value(1e300).value(std::numeric_limits<uint64_t>::max()).value(-3).end_array();
  EXPECT_EQ(json.take(), "[\n  0.1,\n  1e+300,\n  18446744073709551615,\n  -3\n]\n");
}

TEST(Json, NumbersThatAreNotFiniteBecomeNull) {
  JsonWriter json;
  json.begin_array().value(std::nan("")).value(std::numeric_limits<double>::infinity()).end_array();
  EXPECT_EQ(json.take(), "[\n  null,\n  null\n]\n");
}

TEST(Json, FieldWritesListsOfText) {
  JsonWriter json;
  json.begin_object().field("names", std::vector<std::string>{"a", "b"}).end_object();
  EXPECT_EQ(json.take(), "{\n  \"names\": [\n    \"a\",\n    \"b\"\n  ]\n}\n");
}

TEST(JsonDeathTest, UnfinishedDocumentIsABug) {
  JsonWriter json;
  json.begin_object();
  EXPECT_EXIT(json.take(), ::testing::ExitedWithCode(70), "bug in cuco");
}

}  // namespace
}  // namespace cuco
