#include "llm/mailbox_provider.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "base/files.h"
#include "testing/fake_clock.h"
#include "testing/scratch_folder.h"

namespace cuco::llm {
namespace {

namespace fs = std::filesystem;

// Time passes by doing what somebody does to the folder meanwhile.
class ScriptedClock : public testing::FakeClock {
 public:
  std::function<void(size_t)> on_look;

  void sleep_ms(int64_t duration_ms) override {
    FakeClock::sleep_ms(duration_ms);
    if (on_look) on_look(sleeps_ms.size());
  }
};

class MailboxTest : public ::testing::Test {
 protected:
  Attempt send(const std::string& text) {
    MailboxProvider mailbox(folder, 5'000, clock);
    return mailbox.attempt({"", {{Role::User, text}}}, progress);
  }
  void append(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::app) << text; }

  testing::ScratchFolder scratch;
  fs::path folder = scratch.path() / "box";
  ScriptedClock clock;
  Progress progress;
};

TEST_F(MailboxTest, PromptFileGoesOutAndReplyFileComesIn) {
  clock.on_look = [&](size_t look) {
    if (look == 3) append(folder / "0001.reply.txt", "an answer");
  };
  Attempt attempt = send("a question");
  ASSERT_TRUE(std::holds_alternative<Reply>(attempt));
  EXPECT_EQ(std::get<Reply>(attempt).text, "an answer");
  EXPECT_EQ(*read_file(folder / "0001.prompt.txt"), "### USER\na question\n\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 2);
}

TEST_F(MailboxTest, AReplyThatStillGrowsIsWaitedFor) {
  clock.on_look = [&](size_t look) {
    if (look <= 4) append(folder / "0001.reply.txt", std::to_string(look));
  };
  EXPECT_EQ(std::get<Reply>(send("x")).text, "1234");
}

TEST_F(MailboxTest, NumbersGoOnFromWhatLiesThere) {
  fs::create_directories(folder);
  append(folder / "0007.prompt.txt", "of another caller");
  clock.on_look = [&](size_t look) {
    if (look == 1) append(folder / "0008.reply.txt", "yes");
  };
  EXPECT_EQ(std::get<Reply>(send("x")).text, "yes");
  EXPECT_EQ(*read_file(folder / "0007.prompt.txt"), "of another caller");
}

TEST_F(MailboxTest, NoReplyEndsWithTheNameOfTheMissingFile) {
  EXPECT_EQ(std::get<Failure>(send("x")).message, (folder / "0001.reply.txt").string() + " did not appear within 5 s");
}

TEST_F(MailboxTest, AFolderThatCannotBeMadeIsNamed) {
  append(scratch.path() / "box", "a file");
  EXPECT_NE(std::get<Failure>(send("x")).message.find(folder.string()), std::string::npos);
}

}  // namespace
}  // namespace cuco::llm
