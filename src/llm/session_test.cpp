#include "llm/session.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "testing/fake_clock.h"
#include "testing/fake_environment.h"
#include "testing/scratch_folder.h"

namespace cuco::llm {
namespace {

class SessionTest : public ::testing::Test {
 protected:
  std::unique_ptr<Session> open() { return *Session::open(CUCO_SOURCE_DIR, options, environment, clock); }
  Result<Reply> ask(Session& session, const std::string& spec) {
    Result<Model*> model = session.model(spec);
    if (!model) return model.error();
    return (*model)->complete({"", {{Role::User, "hello"}}}, silent);
  }

  testing::FakeEnvironment environment;
  testing::FakeClock clock;
  testing::ScratchFolder scratch;
  SessionOptions options;
  Progress silent;
};

TEST_F(SessionTest, OneBudgetCoversAllModels) {
  options.caps.calls = 2;
  std::unique_ptr<Session> session = open();
  EXPECT_TRUE(ask(*session, "command:echo one").ok());
  EXPECT_TRUE(ask(*session, "command:echo two").ok());
  EXPECT_EQ(ask(*session, "command:echo three").error().message,
            "the budget of 2 calls is used up (2 made or under way); raise --budget-calls");
  EXPECT_EQ(session->spending(), "2 calls, $0.0000");
}

TEST_F(SessionTest, TheSameSpecGivesTheSameModel) {
  std::unique_ptr<Session> session = open();
  EXPECT_EQ(*session->model("command:cat"), *session->model("command:cat"));
  EXPECT_NE(*session->model("command:cat"), *session->model("command:tac"));
}

TEST_F(SessionTest, AllModelsShareATranscriptThatReplays) {
  options.models.record = scratch.path() / "run.jsonl";
  ASSERT_TRUE(ask(*open(), "command:echo one").ok());
  ASSERT_TRUE(ask(*open(), "command:echo two").ok());
  options.models.record = std::nullopt;
  options.models.replay = scratch.path() / "run.jsonl";
  options.caps.calls = 0;
  std::unique_ptr<Session> session = open();
  EXPECT_EQ(ask(*session, "command:echo two")->text, "two\n");
  EXPECT_EQ(ask(*session, "command:echo one")->text, "one\n");
}

TEST_F(SessionTest, TheUsersPricesCount) {
  options.prices = scratch.path() / "mine.toml";
  ASSERT_TRUE(write_file(*options.prices,
                         "[[model]]\nprovider = \"command\"\nname = \"*\"\ninput_usd_per_mtok = 0\n"
                         "output_usd_per_mtok = 1000000\n")
                  .ok());
  std::unique_ptr<Session> session = open();
  ASSERT_TRUE(ask(*session, "command:echo one").ok());
  EXPECT_EQ(session->spending(), "1 call, $1.0000");
}

TEST_F(SessionTest, BadPricesAndBadSpecsAreErrors) {
  options.prices = scratch.path() / "missing.toml";
  EXPECT_FALSE(Session::open(CUCO_SOURCE_DIR, options, environment, clock).ok());
  options.prices = std::nullopt;
  EXPECT_EQ(open()->model("anthropic:m").error().message,
            "anthropic:m needs the environment variable ANTHROPIC_API_KEY, which is not set");
}

}  // namespace
}  // namespace cuco::llm
