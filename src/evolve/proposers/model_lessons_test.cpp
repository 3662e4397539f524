#include "evolve/proposers/model_lessons.h"

#include "evolve/proposers/model_fixtures.h"

namespace cuco::evolve {
namespace {

class ModelLessonsTest : public ModelTest {
 protected:
  Result<std::vector<store::Lesson>> write(llm::Model* model, const std::vector<store::Lesson>& earlier) {
    ModelLessonsInput lessons;
    lessons.share = CUCO_SOURCE_DIR;
    lessons.model = {"scripted", model, &log};
    lessons.members_max = 3;
    std::unique_ptr<LessonWriter> writer = ModelLessons::make(lessons).value();
    Result<std::vector<store::Lesson>> written = writer->write(members, earlier);
    cost_usd = writer->cost_usd();
    return written;
  }

  double cost_usd = 0;
};

TEST_F(ModelLessonsTest, SummaryScratchpadAndRecommendationFollowEachOther) {
  ScriptedModel model({"4 deadlocks", "split pays, 2 and 3 show it\n", "try chunks"});
  Result<std::vector<store::Lesson>> lessons = write(&model, {});
  ASSERT_TRUE(lessons.ok()) << lessons.error().message;
  ASSERT_EQ(lessons->size(), 2u);
  EXPECT_EQ((*lessons)[0].author, "scripted");
  EXPECT_EQ((*lessons)[0].text, "What is known:\nsplit pays, 2 and 3 show it");
  EXPECT_EQ((*lessons)[1].text, "What to try next:\ntry chunks");
  EXPECT_NE(model.asked(0).find("### candidate 4"), std::string::npos);
  EXPECT_EQ(model.asked(0).find("### candidate 1"), std::string::npos) << "not among the latest three";
  EXPECT_NE(model.asked(1).find("4 deadlocks"), std::string::npos);
  EXPECT_NE(model.asked(2).find("split pays"), std::string::npos);
  EXPECT_NE(model.asked(2).find("Candidate 3."), std::string::npos);
}

TEST_F(ModelLessonsTest, TheScratchpadIsTakenUpAgain) {
  ScriptedModel model({"a", "b", "c"});
  ASSERT_TRUE(write(&model, {{"statistics", "What is known:\nno"}, {"scripted", "What is known:\nsplit pays"}}).ok());
  EXPECT_NE(model.asked(1).find("# The scratchpad\n\nsplit pays\n"), std::string::npos);
}

TEST_F(ModelLessonsTest, ReplayFromTheLogMakesNoCalls) {
  ScriptedModel model({"a", "b", "c"});
  Result<std::vector<store::Lesson>> first = write(&model, {});
  Result<std::vector<store::Lesson>> again = write(nullptr, {});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ((*again)[0].text, (*first)[0].text);
  EXPECT_EQ((*again)[1].text, (*first)[1].text);
  EXPECT_EQ(cost_usd, 0.75) << "three replies, paid for in the first run";
}

TEST_F(ModelLessonsTest, NoReplyIsAnError) {
  ScriptedModel model({"a"});
  EXPECT_EQ(write(&model, {}).error().message, "no more replies");
  EXPECT_EQ(cost_usd, 0.25) << "the one reply that came";
}

}  // namespace
}  // namespace cuco::evolve
