#include "evolve/lessons.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "evolve/fixtures.h"

namespace cuco::evolve {
namespace {

std::vector<Member> sampled_members() {
  const char* deferred = "s1 gin/deferred/barrier/cta/whole\n";
  const char* stream = "s1 gin/stream/barrier/cta/whole\n";
  const char* flag = "s1 lsa/deferred/flag/cta/whole\n";
  return {member_with(1, 1000, deferred), member_with(2, 1000, deferred), member_with(3, 800, stream),
          member_with(4, 800, stream),    member_with(5, {}, flag),       member_with(6, {}, flag)};
}

std::vector<std::string> sentences(const std::vector<Member>& members) {
  std::vector<std::string> texts;
  StatisticalLessons statistics;
  std::vector<store::Lesson> lessons = statistics.write(members, {}).value();
  for (const store::Lesson& lesson : lessons) texts.push_back(lesson.text);
  return texts;
}

TEST(Lessons, SayWhatPaysAndWhatIsRejected) {
  std::vector<std::string> texts = sentences(sampled_members());
  auto has = [&](const std::string& text) { return std::ranges::find(texts, text) != texts.end(); };
  EXPECT_TRUE(has("placement stream at s1: 2 programs with it take 20 % less time than the 2 without it."));
  EXPECT_TRUE(has("sync flag at s1: 2 of 2 were rejected.")) << join(texts, "\n");
  EXPECT_TRUE(
      has("placement deferred at s1: 2 programs with it take 25 % more time than the 2 without it; 2 of 4 were "
          "rejected."))
      << join(texts, "\n");
}

TEST(Lessons, WhatAllHaveInCommonTeachesNothing) {
  for (const std::string& text : sentences(sampled_members()))
    EXPECT_EQ(text.find("issuer"), std::string::npos) << text;
}

TEST(Lessons, OneProgramTeachesNothing) {
  EXPECT_TRUE(sentences({member_with(1, 1000, "s1 gin/deferred/barrier/cta/whole\n")}).empty());
}

TEST(Lessons, ProgramsThatWereNeverJudgedDoNotCount) {
  std::vector<Member> members = sampled_members();
  for (Member& member : members) member.pending = true;
  EXPECT_TRUE(sentences(members).empty());
}

TEST(Axes, DifferencesAreFoundAtAnySiteAndInTheSchedule) {
  space::Plan a = space::parse_plan("s1 gin/split/barrier/cta/whole\ns2 gin/split/barrier/cta/whole", "").value();
  space::Plan b = a;
  EXPECT_TRUE(differing_axes(a, b).empty());
  b.choices[1].directive.chunk_bytes = 4096;
  b.schedule.order = space::WorkOrder::LocalFirst;
  EXPECT_EQ(differing_axes(a, b), (std::vector<Axis>{Axis::Chunk, Axis::Order}));
  EXPECT_EQ(schedule_value(b.schedule, Axis::Order), "local-first");
  EXPECT_EQ(schedule_value(b.schedule, Axis::Priority), "default");
}

}  // namespace
}  // namespace cuco::evolve
