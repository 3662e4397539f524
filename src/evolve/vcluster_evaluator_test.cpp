#include "evolve/vcluster_evaluator.h"

#include <gtest/gtest.h>

#include "testing/scratch_folder.h"

namespace cuco::evolve {
namespace {

store::Candidate candidate(store::Id id, const std::string& text) {
  store::Candidate candidate;
  candidate.id = id;
  candidate.files = {{"program.cu", text}};
  return candidate;
}

// No tool is there, so that whatever is run ends in an error: what passes came from the log.
class VclusterEvaluatorTest : public ::testing::Test {
 protected:
  VclusterEvaluatorTest() : log(*store::Log::open(folder.path() / "log.jsonl")) {
    setting.request.baseline = {{"program.cu", "int main() {}\n"}};
    setting.setting = "somewhere";
    setting.from_log_alone = true;
  }

  Result<std::vector<evaluate::Verdict>> evaluate(const std::vector<Task>& tasks) {
    return VclusterEvaluator(setting, log).evaluate(tasks);
  }
  std::string message(const Task& task) {
    Result<std::vector<evaluate::Verdict>> verdicts = evaluate({task});
    return verdicts ? "no error" : verdicts.error().message;
  }

  testing::ScratchFolder folder;
  store::Log log;
  VclusterSetting setting;
  store::Candidate first = candidate(1, "int main() {}\n"), second = candidate(2, "int main() { return 0; }\n");
};

TEST_F(VclusterEvaluatorTest, LogAloneSaysWhatItDoesNotKnow) {
  EXPECT_EQ(message({&second, nullptr, Depth::Screen}),
            "the log has no verdict on candidate 2: it is not whole, or this version of cuco proposes other programs");
}

TEST_F(VclusterEvaluatorTest, TextThatIsRejectedIsLoggedAndNotJudgedAgain) {
  setting.from_log_alone = false;
  setting.request.tools.share = CUCO_SOURCE_DIR;
  setting.request.configuration.profile = "a100x4-nvlink";
  Task task{&second, &first, Depth::Screen};
  Result<std::vector<evaluate::Verdict>> rejected = evaluate({task});
  ASSERT_TRUE(rejected.ok()) << rejected.error().message;
  EXPECT_EQ(rejected->front().findings.at(0).kind, "frozen_text");
  EXPECT_EQ(log.entry_count(), 1u);
  setting.from_log_alone = true;
  Result<std::vector<evaluate::Verdict>> again = evaluate({task});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(evaluate::to_json(again->front()), evaluate::to_json(rejected->front()));
}

TEST_F(VclusterEvaluatorTest, AnotherDepthParentOrSettingIsAnotherQuestion) {
  setting.from_log_alone = false;
  setting.request.tools.share = CUCO_SOURCE_DIR;
  setting.request.configuration.profile = "a100x4-nvlink";
  ASSERT_TRUE(evaluate({{&second, &first, Depth::Screen}}).ok());
  setting.from_log_alone = true;
  EXPECT_EQ(message({&second, &first, Depth::Screen}), "no error");
  EXPECT_NE(message({&second, &first, Depth::Full}), "no error");
  EXPECT_NE(message({&second, nullptr, Depth::Screen}), "no error");
  setting.setting = "elsewhere";
  EXPECT_NE(message({&second, &first, Depth::Screen}), "no error");
}

}  // namespace
}  // namespace cuco::evolve
