#include "llm/command_provider.h"

#include <gtest/gtest.h>

#include <chrono>

namespace cuco::llm {
namespace {

class CountingProgress : public Progress {
 public:
  std::string text;
  uint64_t tokens = 0;
  bool stop_at_first_text = false;

  void on_text(std::string_view piece, uint64_t output_tokens) override {
    text += piece;
    tokens = output_tokens;
  }
  bool cancelled() const override { return stop_at_first_text && !text.empty(); }
};

const Prompt kPrompt = {"be brief", {{Role::User, "hello"}}};

Attempt run(const std::string& command, CountingProgress& progress, int64_t timeout_ms = 20'000) {
  return CommandProvider(command, timeout_ms).attempt(kPrompt, progress);
}

std::string message_of(const Attempt& attempt) {
  return std::holds_alternative<Failure>(attempt) ? std::get<Failure>(attempt).message : "no failure";
}

TEST(CommandProvider, PromptGoesInAndOutputIsTheReply) {
  CountingProgress progress;
  Attempt attempt = run("cat", progress);
  ASSERT_TRUE(std::holds_alternative<Reply>(attempt)) << message_of(attempt);
  const Reply& reply = std::get<Reply>(attempt);
  EXPECT_EQ(reply.text, "### SYSTEM\nbe brief\n\n### USER\nhello\n\n");
  EXPECT_EQ(progress.text, reply.text);
  EXPECT_EQ(progress.tokens, reply.usage.output_tokens);
  EXPECT_TRUE(reply.usage.estimated);
}

TEST(CommandProvider, WorksByTheShell) {
  CountingProgress progress;
  Attempt attempt = run("tr a-z A-Z | grep HELLO", progress);
  ASSERT_TRUE(std::holds_alternative<Reply>(attempt)) << message_of(attempt);
  EXPECT_EQ(std::get<Reply>(attempt).text, "HELLO\n");
}

TEST(CommandProvider, ACommandThatIgnoresALongPromptIsServed) {
  CountingProgress progress;
  Prompt prompt{"", {{Role::User, std::string(4'000'000, 'x')}}};
  Attempt attempt = CommandProvider("echo enough", 20'000).attempt(prompt, progress);
  ASSERT_TRUE(std::holds_alternative<Reply>(attempt)) << message_of(attempt);
  EXPECT_EQ(std::get<Reply>(attempt).text, "enough\n");
}

TEST(CommandProvider, FailureShowsExitCodeAndLastWords) {
  CountingProgress progress;
  EXPECT_EQ(message_of(run("echo no luck >&2; exit 3", progress)),
            "`echo no luck >&2; exit 3` ended with exit code 3: no luck");
  EXPECT_EQ(message_of(run("echo quiet >&2", progress)), "`echo quiet >&2` printed nothing: quiet");
  EXPECT_NE(message_of(run("no-such-program-here", progress)).find("exit code 127"), std::string::npos);
}

TEST(CommandProvider, ACommandThatTakesTooLongIsKilled) {
  CountingProgress progress;
  EXPECT_EQ(message_of(run("sleep 60", progress, 100)), "`sleep 60` gave no reply within 100 ms");
}

TEST(CommandProvider, CancellationKillsTheCommand) {
  CountingProgress progress;
  progress.stop_at_first_text = true;
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(message_of(run("echo first; sleep 60", progress)), "the call was cancelled");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(CommandProvider, WhatACommandLeavesRunningDoesNotHoldTheReply) {
  CountingProgress progress;
  Attempt attempt = run("echo done; sleep 60 &", progress);
  ASSERT_TRUE(std::holds_alternative<Reply>(attempt)) << message_of(attempt);
  EXPECT_EQ(std::get<Reply>(attempt).text, "done\n");
}

}  // namespace
}  // namespace cuco::llm
