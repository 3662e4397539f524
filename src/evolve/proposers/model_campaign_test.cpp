// Whole searches with a model behind `command:`: a script that gives its replies in turn.
#include <fstream>

#include "base/files.h"
#include "evolve/fixtures.h"
#include "evolve/proposers/model_fixtures.h"
#include "evolve/proposers/model_lessons.h"
#include "llm/session.h"
#include "testing/fake_clock.h"
#include "testing/fake_environment.h"

namespace cuco::evolve {
namespace {

std::string block_reply(const std::string& intent, const std::string& code) {
  return concat("INTENT: ", intent, "\nPLAN:\n", kSplit, "\nBLOCK: 1\n```cuda\nvoid step() { ", code, " }\n```\n");
}

// Work between a put and its wait hides the transfer; a wait without a put hangs.
evaluate::Verdict judge_gather(const Task& task) {
  const std::string& text = task.candidate->files.front().text;
  auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  if (!has("put();") && has("wait();")) return rejected();
  return timed(has("put(); work(); wait();") ? 70 : has("put();") ? 100 : 120, 50);
}

class ModelCampaignTest : public ModelTest {
 protected:
  ModelCampaignTest() : evaluator(judge_gather) {
    search_input.options.budget_evaluations = 8;
    search_input.options.batch = 1;
    search_input.options.islands = 1;
    search_input.options.plateau = 0;
    search_input.options.lesson_interval = 0;
    search_input.baseline.files = {{"gather.cu", gather_program("void step() { gather(); }\n")}};
    search_input.baseline.plan = kDeferred;
    search_input.baseline.proposer = "baseline";
    search_input.evaluator = &evaluator;
  }

  // The n-th call prints the n-th file and counts in a file of its own.
  std::string script(const std::vector<std::string>& replies) {
    std::filesystem::path folder = scratch.path();
    for (size_t i = 0; i < replies.size(); ++i)
      EXPECT_TRUE(write_file(folder / std::to_string(i + 1), replies[i]).ok());
    std::string text = "cd \"$(dirname \"$0\")\" && echo x >> calls && cat \"$(wc -l < calls | tr -d ' ')\"\n";
    EXPECT_TRUE(write_file(folder / "answer.sh", text).ok());
    return concat("command:sh ", (folder / "answer.sh").string());
  }

  size_t call_count() const {
    Result<std::string> calls = read_file(scratch.path() / "calls");
    return calls ? split(*calls, '\n').size() - 1 : 0;
  }

  LoggedModel logged(llm::Model* model) { return {"scripted", model, &log}; }

  void add_model(llm::Model* model) {
    input.share = CUCO_SOURCE_DIR;
    input.model = logged(model);
    search_input.proposers.push_back({*ModelProposer::make(input), {}});
  }

  llm::Model* open(const std::string& spec, llm::BudgetCaps caps = {}) {
    llm::SessionOptions options;
    options.caps = caps;
    session = *llm::Session::open(CUCO_SOURCE_DIR, options, environment, clock);
    return *session->model(spec);
  }

  testing::FakeEnvironment environment;
  testing::FakeClock clock;
  std::unique_ptr<llm::Session> session;
  FakeEvaluator evaluator;
  SearchInput search_input;
};

const std::vector<std::string> kReplies = {
    "I would first ask about your cluster.", block_reply("wait for what never comes", "wait();"),
    block_reply("put, then wait", "put(); wait();"), block_reply("work while bytes move", "put(); work(); wait();")};

TEST_F(ModelCampaignTest, FindsTheFasterProgramAndRepeatsFromTheLogAlone) {
  add_model(open(script(kReplies)));
  std::vector<store::Step> steps = run_to_end(search_input);
  ASSERT_GE(steps.size(), 6u);
  EXPECT_NE(steps[1].candidates.at(0).failure.find("the reply states no plan"), std::string::npos);
  EXPECT_FALSE(steps[2].judgements.at(0).passed);
  EXPECT_EQ(steps[4].judgements.at(0).time_us, 70);
  EXPECT_NE(steps[4].candidates.at(0).intent.find("work while bytes move"), std::string::npos);
  EXPECT_EQ(call_count(), 5u) << "four replies, and one call that failed";

  search_input.proposers.clear();
  add_model(nullptr);
  EXPECT_EQ(to_texts(run_to_end(search_input)), to_texts(steps));
  EXPECT_EQ(call_count(), 5u);
}

TEST_F(ModelCampaignTest, WhatIsRejectedComesBackWithWhatWasFoundAndRepeats) {
  search_input.options.budget_evaluations = 3;
  ScriptedModel model(kReplies);
  add_model(&model);
  std::vector<store::Step> steps = run_to_end(search_input);
  ASSERT_EQ(model.prompts.size(), 3u) << "a reply, and two repairs of it within the budget";
  for (const char* part : {"- reply: the reply states no plan", "I would first ask about your cluster."})
    EXPECT_NE(model.asked(1).find(part), std::string::npos) << part;
  for (const char* part : {"void step() { wait(); }", "- deadlock: rank 1 waits for ever",
                           "Earlier attempts at it:\n- full: no program; rejected: reply, the reply states no plan"})
    EXPECT_NE(model.asked(2).find(part), std::string::npos) << part;
  EXPECT_EQ(steps[2].candidates.at(0).parent, 2);
  EXPECT_EQ(steps[3].candidates.at(0).parent, 3);
  EXPECT_EQ(steps[3].candidates.at(0).intent, "repair 2 of #3: put, then wait");
  EXPECT_TRUE(steps[3].judgements.at(0).passed);
  search_input.proposers.clear();
  add_model(nullptr);
  EXPECT_EQ(to_texts(run_to_end(search_input)), to_texts(steps));
}

TEST_F(ModelCampaignTest, AModelOutOfBudgetLeavesTheSearchToTheOthers) {
  class Repeating : public Proposer {
   public:
    std::string name() const override { return "repeating"; }
    Result<std::optional<Proposal>> propose(const Assignment&, Random&) override {
      Proposal proposal;
      proposal.intent = concat("puts ", ++count_, " times");
      proposal.files = {{"gather.cu", gather_program(concat("void step() { put(); twist(", count_, "); }\n"))}};
      return std::optional(proposal);
    }

   private:
    int count_ = 0;
  };
  add_model(open(script(kReplies), {.calls = 0}));
  search_input.proposers.push_back({std::make_unique<Repeating>(), {}});
  std::vector<store::Step> steps = run_to_end(search_input);
  size_t said = 0, by_others = 0;
  for (const store::Step& step : steps) {
    for (const store::Event& event : step.events)
      said += event.text.find("scripted cannot go on: the budget of 0 calls is used up") != std::string::npos;
    for (const store::Candidate& candidate : step.candidates) by_others += candidate.proposer == "repeating";
  }
  EXPECT_EQ(said, 1u);
  EXPECT_EQ(call_count(), 0u);
  EXPECT_GE(by_others, 7u);
}

TEST_F(ModelCampaignTest, LessonsOfTheModelReachThePromptOfTheirOwnTurn) {
  search_input.options.lesson_interval = 2;
  search_input.options.budget_evaluations = 4;
  ScriptedModel proposing({block_reply("put, then wait", "put(); wait();"),
                           block_reply("work while bytes move", "put(); work(); wait();"),
                           block_reply("twice", "put(); put(); work(); wait();")});
  ScriptedModel teaching({"2 is faster", "put pays", "work between put and wait", "a", "b", "c"});
  add_model(&proposing);
  std::unique_ptr<LessonWriter> writer =
      *ModelLessons::make({.share = CUCO_SOURCE_DIR, .model = {"teacher", &teaching, &log}});
  search_input.lesson_writer = writer.get();
  run_to_end(search_input);
  ASSERT_EQ(proposing.prompts.size(), 3u);
  EXPECT_EQ(proposing.asked(0).find("put pays"), std::string::npos);
  EXPECT_NE(proposing.asked(1).find("What is known:\nput pays\nWhat to try next:\nwork between put and wait"),
            std::string::npos);
}

}  // namespace
}  // namespace cuco::evolve
