#include "llm/transcript.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "testing/fake_clock.h"
#include "testing/scratch_folder.h"

namespace cuco::llm {
namespace {

// Answers a prompt with its own last message; the text "fail" is an error.
class EchoModel : public Model {
 public:
  Result<Reply> complete(const Prompt& prompt, Progress&) override {
    const std::string& text = prompt.messages.back().text;
    if (text == "fail") return Error{"no answer to that"};
    return Reply{"echo " + text, {7, 3, true}, 0.25, StopReason::MaxTokens};
  }
};

Prompt ask(const std::string& text) { return {"be brief", {{Role::User, text}}, 100, 0.5}; }

class TranscriptTest : public ::testing::Test {
 protected:
  std::unique_ptr<Model> recording() {
    return *RecordingModel::open(std::make_unique<EchoModel>(), "test:echo", path, clock);
  }
  std::unique_ptr<Model> replay() { return *ReplayModel::open("test:echo", path); }

  testing::ScratchFolder scratch;
  std::filesystem::path path = scratch.path() / "transcripts" / "run.jsonl";
  testing::FakeClock clock;
  Progress silent;
};

TEST_F(TranscriptTest, ReplayGivesTheSameRepliesAndErrors) {
  std::unique_ptr<Model> model = recording();
  std::vector<std::string> texts = {"one", "fail", "line\nbreak \"quoted\" \x01", "broken utf-8 \xff"};
  std::vector<Result<Reply>> recorded;
  for (const std::string& text : texts) recorded.push_back(model->complete(ask(text), silent));
  std::unique_ptr<Model> again = replay();
  for (size_t i = 0; i < texts.size(); ++i) {
    Result<Reply> reply = again->complete(ask(texts[i]), silent);
    ASSERT_EQ(reply.ok(), recorded[i].ok()) << i;
    if (!reply.ok()) {
      EXPECT_EQ(reply.error().message, recorded[i].error().message);
    } else {
      EXPECT_EQ(*reply, *recorded[i]);
    }
  }
}

TEST_F(TranscriptTest, RecordingGoesOnInTheSameFile) {
  ASSERT_TRUE(recording()->complete(ask("one"), silent).ok());
  ASSERT_TRUE(recording()->complete(ask("two"), silent).ok());
  std::unique_ptr<Model> again = replay();
  EXPECT_EQ(again->complete(ask("one"), silent)->text, "echo one");
  EXPECT_EQ(again->complete(ask("two"), silent)->text, "echo two");
  EXPECT_EQ(again->complete(ask("three"), silent).error().message,
            path.string() + ": the transcript ends after 2 calls of test:echo; one more is asked for");
}

TEST_F(TranscriptTest, ADifferentPromptIsRefusedWithItsFirstDifference) {
  ASSERT_TRUE(recording()->complete(ask("a\nb\nc"), silent).ok());
  std::unique_ptr<Model> again = replay();
  EXPECT_EQ(again->complete(ask("a\nB\nc"), silent).error().message,
            path.string() +
                ":1: the prompt differs from the recorded one in line 2 of message 1 (user): recorded `b`, "
                "asked `B`");
  EXPECT_EQ(again->complete(ask("a\nb\nc"), silent)->text, "echo a\nb\nc");
}

TEST_F(TranscriptTest, ModelsThatShareATranscriptReplayTheirOwnCalls) {
  std::unique_ptr<Model> first = recording();
  std::unique_ptr<Model> second = *RecordingModel::open(std::make_unique<EchoModel>(), "test:other", path, clock);
  ASSERT_TRUE(first->complete(ask("one"), silent).ok());
  ASSERT_TRUE(second->complete(ask("two"), silent).ok());
  ASSERT_TRUE(first->complete(ask("three"), silent).ok());
  std::unique_ptr<Model> again = replay();
  EXPECT_EQ(again->complete(ask("one"), silent)->text, "echo one");
  EXPECT_TRUE(
      again->complete(ask("two"), silent).error().message.starts_with(path.string() + ":3: the prompt differs"));
  EXPECT_EQ(again->complete(ask("three"), silent)->text, "echo three");
}

TEST_F(TranscriptTest, AModelThatWasNeverAskedReplaysUntilItIs) {
  ASSERT_TRUE(recording()->complete(ask("one"), silent).ok());
  Result<std::unique_ptr<Model>> unused = ReplayModel::open("test:unused", path);
  ASSERT_TRUE(unused.ok()) << unused.error().message;
  EXPECT_EQ((*unused)->complete(ask("one"), silent).error().message,
            path.string() + ": the transcript ends after 0 calls of test:unused; one more is asked for");
}

TEST_F(TranscriptTest, ALastLineThatWasCutShortIsIgnored) {
  ASSERT_TRUE(recording()->complete(ask("one"), silent).ok());
  std::string text = *read_file(path);
  ASSERT_TRUE(write_file(path, text + text.substr(0, text.size() / 2)).ok());
  std::unique_ptr<Model> again = replay();
  EXPECT_TRUE(again->complete(ask("one"), silent).ok());
  EXPECT_FALSE(again->complete(ask("one"), silent).ok());
}

TEST_F(TranscriptTest, WhatIsNoTranscriptIsRefusedWithItsLine) {
  ASSERT_TRUE(write_file(scratch.path() / "x.jsonl", "{\"prompt\": 1}\n").ok());
  EXPECT_EQ(ReplayModel::open("test:echo", scratch.path() / "x.jsonl").error().message,
            (scratch.path() / "x.jsonl").string() +
                ":1: a line of a transcript is a JSON object with a prompt and a reply or an error");
}

TEST(FirstDifference, NamesEveryPart) {
  Prompt prompt = ask("x");
  auto changed = [&](auto change) {
    Prompt other = prompt;
    change(other);
    return first_difference(prompt, other);
  };
  EXPECT_EQ(first_difference(prompt, prompt), "");
  EXPECT_EQ(changed([](Prompt& p) { p.system += "\nmore"; }),
            "line 2 of the system text: recorded the end, asked `more`");
  EXPECT_EQ(changed([](Prompt& p) {
              p.messages.push_back({Role::Assistant, "y"});
            }),
            "the number of messages: recorded 1, asked 2");
  EXPECT_EQ(changed([](Prompt& p) { p.messages[0].role = Role::Assistant; }),
            "the role of message 1 (user): asked as assistant");
  EXPECT_EQ(changed([](Prompt& p) { p.max_tokens = 7; }), "max_tokens: recorded 100, asked 7");
  EXPECT_EQ(changed([](Prompt& p) { p.temperature = std::nullopt; }), "the temperature");
}

}  // namespace
}  // namespace cuco::llm
