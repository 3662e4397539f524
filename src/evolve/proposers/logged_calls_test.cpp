#include "evolve/proposers/logged_calls.h"

#include "evolve/proposers/model_fixtures.h"

namespace cuco::evolve {
namespace {

class LoggedCallsTest : public ModelTest {
 protected:
  LoggedModel logged(llm::Model* model) { return {"scripted", model, &log}; }

  const llm::Prompt prompt = {"system", {{llm::Role::User, "hello"}}};
  llm::Progress silent;
};

TEST_F(LoggedCallsTest, APromptIsAskedOnce) {
  ScriptedModel model({"one", "two"});
  int known = 0;
  LoggedModel asked = logged(&model);
  asked.on_known = [&](const llm::Reply& reply) { known += reply.text == "one"; };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(asked, prompt, silent)->outcome->text, "one");
  EXPECT_EQ(model.prompts.size(), 1u);
  EXPECT_EQ(known, 2);
}

TEST_F(LoggedCallsTest, ModelTemperatureAndLengthTellPromptsApart) {
  llm::Prompt hot = prompt, longer = prompt;
  hot.temperature = 1;
  longer.max_tokens += 1;
  std::string key = log_key("a", prompt);
  EXPECT_NE(key, log_key("b", prompt));
  EXPECT_NE(key, log_key("a", hot));
  EXPECT_NE(key, log_key("a", longer));
  EXPECT_EQ(key, log_key("a", prompt));
}

TEST_F(LoggedCallsTest, WhatIsLoggedIsWhatIsSeen) {
  ScriptedModel model({"\xff not UTF-8"});
  std::string live = ask(logged(&model), prompt, silent)->outcome->text;
  EXPECT_EQ(ask(logged(nullptr), prompt, silent)->outcome->text, live);
}

TEST_F(LoggedCallsTest, AFailureIsAFactOfTheRun) {
  ScriptedModel down({}), up({"one"});
  EXPECT_EQ(ask(logged(&down), prompt, silent)->outcome.error().message, "no more replies");
  EXPECT_EQ(ask(logged(&up), prompt, silent)->outcome.error().message, "no more replies");
  EXPECT_TRUE(up.prompts.empty());
}

TEST_F(LoggedCallsTest, ACancelledCallLeavesNoTrace) {
  class Cancelled : public llm::Progress {
   public:
    bool cancelled() const override { return true; }
  } cancelled;
  ScriptedModel down({}), up({"one"});
  EXPECT_FALSE(ask(logged(&down), prompt, cancelled).ok());
  EXPECT_EQ(ask(logged(&up), prompt, silent)->outcome->text, "one");
}

TEST_F(LoggedCallsTest, ALogAloneSaysWhatItDoesNotHave) {
  Result<Answer> answer = ask(logged(nullptr), prompt, silent);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->outcome.error().message, "the log has no reply of scripted to this prompt");
  EXPECT_EQ(log.entry_count(), 0u);
}

}  // namespace
}  // namespace cuco::evolve
