#include "evolve/proposers/model.h"

#include <set>

#include "evolve/proposers/model_fixtures.h"
#include "llm/session.h"
#include "space/fixtures.h"
#include "testing/fake_clock.h"
#include "testing/fake_environment.h"

namespace cuco::evolve {
namespace {

using agent::ProposalKind;

const std::string kPlan = concat("PLAN:\n", kSplit, "\n");
const std::string kGood =
    concat("INTENT: put early, wait late\n", kPlan, "BLOCK: 1\n```cuda\nvoid step() { put(); late(); }\n```\n");

std::string edit(const std::string& from, const std::string& to) {
  return concat("<<<<<<< SEARCH\n", from, "\n=======\n", to, "\n>>>>>>> REPLACE\n");
}

TEST_F(ModelTest, AFullRewriteBecomesAProposal) {
  ScriptedModel model({kGood});
  Proposal proposal = proposal_of(&model, only(ProposalKind::Full));
  EXPECT_EQ(proposal.failure, "");
  EXPECT_EQ(proposal.intent, "full: put early, wait late");
  EXPECT_EQ(space::to_text(*proposal.plan), space::to_text(*space::parse_plan(kSplit, "")));
  ASSERT_EQ(proposal.files.size(), 1u);
  EXPECT_EQ(proposal.files[0], (SourceFile{"gather.cu", gather_program("void step() { put(); late(); }\n")}));
  EXPECT_EQ(proposal.parent, 1);
  EXPECT_FALSE(proposal.crossed);
  EXPECT_EQ(proposal.cost_usd, 0.25);
  EXPECT_TRUE(log.find("reply", proposal.reply).has_value());
  EXPECT_EQ(*model.prompts[0].temperature, 0.5);
}

TEST_F(ModelTest, ADiffIsAppliedToItsParent) {
  ScriptedModel model({concat(kPlan, edit("void step() { gather(); }", "void step() { put(); }"))});
  Proposal proposal = proposal_of(&model, only(ProposalKind::Diff));
  EXPECT_EQ(proposal.failure, "");
  EXPECT_EQ(proposal.intent, "diff: s1 placement: deferred -> split; s1 sync: barrier -> peer-signal");
  EXPECT_EQ(proposal.files[0].text, gather_program("void step() { put(); }\n"));
}

TEST_F(ModelTest, ACrossoverShowsBothAndIsSaidToBeOne) {
  assignment.other_parent = &members[2];
  ScriptedModel model({kGood});
  Proposal proposal = proposal_of(&model, only(ProposalKind::Crossover));
  EXPECT_EQ(proposal.failure, "");
  EXPECT_TRUE(proposal.crossed);
  EXPECT_NE(model.asked(0).find("BLOCK: 1\n```cuda\nvoid step() { put(); other_work(); wait(); }\n```"),
            std::string::npos);
  EXPECT_NE(model.asked(0).find("Candidate 3."), std::string::npos);
}

TEST_F(ModelTest, APromptCarriesWhatIsKnown) {
  input.analysis = "one all-gather, s1";
  ScriptedModel model({kGood});
  proposal_of(&model, only(ProposalKind::Full));
  for (const char* part :
       {"one all-gather, s1", "split pays at s1", "- block 1: gather.cu, lines 3-3", "void step() { gather(); }\n",
        "Candidate 1. Plan:\ns1 gin/deferred/barrier/cta/whole", "time 120.000 us", "exposed communication 30.000",
        "besides compute is exposed communication: 30.000 us of 120.000 us",
        "with these kernels nothing is faster than the bound of 50.000 us",
        "### candidate 2: 100.000 us, 1.200 times as fast as candidate 1",
        "### candidate 2, code that the program below does not have\ngather.cu:\n", "+ void step() { put(); wait(); }",
        "### candidate 4\nIntent: intent of 4", "- deadlock: rank 1 waits for a signal that nobody raises",
        "GIN: puts and signals", "LSA: loads and stores", "Choose the design yourself", "Placements: deferred ("})
    EXPECT_NE(model.asked(0).find(part), std::string::npos) << part;
}

TEST_F(ModelTest, TheDesignSpaceIsInThePrompt) {
  set_design_space(input, {space::test_site()}, space::two_nodes());
  ScriptedModel model({kGood});
  proposal_of(&model, only(ProposalKind::Full));
  for (const char* part : {"2 ranks on 2 nodes", "- s1, ncclAllGather"})
    EXPECT_NE(model.asked(0).find(part), std::string::npos) << part;
}

TEST_F(ModelTest, ADesignIsAskedForInWords) {
  ModelMix mix = only(ProposalKind::Diff);
  mix.explore.asked = 1;
  input.choose_plan = [](ProposalKind, const Assignment&, Random&) { return *space::parse_plan(kSplit, ""); };
  ScriptedModel model({kGood});
  proposal_of(&model, mix);
  for (const char* part : {"- placement: split (start the transfer as early", "As PLAN states it:\ns1 gin/split"})
    EXPECT_NE(model.asked(0).find(part), std::string::npos) << part;
  EXPECT_EQ(model.asked(0).find("LSA: loads and stores"), std::string::npos) << "rules of a backend that is not used";
}

struct Malformed {
  const char* name;
  std::string reply, failure;
};
class MalformedReply : public ModelTest, public ::testing::WithParamInterface<Malformed> {};
INSTANTIATE_TEST_SUITE_P(
    ModelTest, MalformedReply,
    ::testing::Values(
        Malformed{"NoPlan", "BLOCK: 1\n```\nvoid step() {}\n```\n",
                  "the reply states no plan before its code; begin with a line `PLAN:` and below it a line `site "
                  "backend/placement/sync/issuer/chunk` for each of s1"},
        Malformed{"WrongPlan", "PLAN:\ns1 gin/split/peer-signal/cta\n\n",
                  "PLAN:2:4: directive `gin/split/peer-signal/cta` has 4 parts"},
        Malformed{"OtherSite", "PLAN:\ns2 gin/split/peer-signal/cta/whole\n\n",
                  "PLAN names the site `s2`, which the program does not have; its sites: s1"},
        Malformed{"NoCode", kPlan, "the reply holds neither a code block nor a SEARCH/REPLACE edit; send one of them"},
        Malformed{"EditThatDoesNotMatch", concat(kPlan, edit("void stop() {}", "x")), "edit 1: its SEARCH text is not"},
        Malformed{"FrozenEdit", concat(kPlan, edit("int main() { step(); }", "int main() {}")),
                  "gather.cu:5: text outside of the evolve blocks is not its parent's: 'int main() {}'"},
        Malformed{"LostMarker", concat(kPlan, edit("void step() { gather(); }\n// EVOLVE-BLOCK-END", "void step() {}")),
                  "gather.cu:2: this evolve block does not end"}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(MalformedReply, IsAPreciseFailureThatCostsWhatItCost) {
  ScriptedModel model({GetParam().reply});
  Proposal proposal = proposal_of(&model, only(ProposalKind::Diff));
  EXPECT_TRUE(proposal.failure.starts_with(GetParam().failure)) << proposal.failure;
  EXPECT_TRUE(proposal.files.empty());
  EXPECT_EQ(proposal.cost_usd, 0.25);
}

TEST_F(ModelTest, AReplyWhoseCodeCannotBeReadKeepsItsPlanForWhatMendsIt) {
  ScriptedModel model({concat(kPlan, edit("void stop() {}", "x")), "no plan"});
  Proposal proposal = proposal_of(&model, only(ProposalKind::Diff));
  ASSERT_TRUE(proposal.plan.has_value());
  EXPECT_EQ(proposal.plan->choices[0].directive.placement, space::Placement::Split);
  EXPECT_FALSE(proposal_of(&model, only(ProposalKind::Full)).plan.has_value()) << "a reply without a plan";
}

TEST_F(ModelTest, AReplyThatWasCutOffIsAFailure) {
  ScriptedModel model({kGood});
  model.replies[0]->stop_reason = llm::StopReason::MaxTokens;
  EXPECT_EQ(proposal_of(&model).failure, "the reply was cut off at its limit of 32000 tokens");
}

TEST_F(ModelTest, WhatTheCodeDoesIsComparedWithWhatIsStated) {
  input.infer_plan = [](const std::vector<SourceFile>&) { return space::parse_plan(kDeferred, ""); };
  ScriptedModel model({kGood});
  Proposal proposal = proposal_of(&model, only(ProposalKind::Full));
  EXPECT_EQ(proposal.intent,
            "full: put early, wait late (stated, then found in the code: s1 placement: split -> deferred; s1 sync: "
            "peer-signal -> barrier)");
  EXPECT_EQ(proposal.plan->choices[0].directive.placement, space::Placement::Split);
  EXPECT_EQ(proposal.inferred_plan->choices[0].directive.placement, space::Placement::Deferred);
}

TEST_F(ModelTest, AReplyInTheLogIsNeverAskedAgain) {
  ScriptedModel model({kGood});
  Proposal first = proposal_of(&model);
  Proposal again = proposal_of(&model);
  EXPECT_EQ(model.prompts.size(), 1u);
  Proposal without_model = proposal_of(nullptr);
  for (const Proposal& other : {again, without_model}) {
    EXPECT_EQ(other.files, first.files);
    EXPECT_EQ(other.intent, first.intent);
    EXPECT_EQ(other.cost_usd, first.cost_usd);
    EXPECT_EQ(other.reply, first.reply);
  }
}

TEST_F(ModelTest, EqualAssignmentsAreAskedTwiceByTwoDraws) {
  ScriptedModel model({kGood, kGood});
  std::unique_ptr<Proposer> proposer = proposer_of(&model);
  Random random(7);
  std::set<std::string> keys;
  for (int i = 0; i < 2; ++i) keys.insert((*proposer->propose(assignment, random))->reply);
  EXPECT_EQ(keys.size(), 2u);
  EXPECT_EQ(model.prompts.size(), 2u);
}

TEST_F(ModelTest, AModelWithoutAReplyEndsTheProposerAndStaysInTheLog) {
  ScriptedModel model({});
  for (llm::Model* asked : {static_cast<llm::Model*>(&model), static_cast<llm::Model*>(nullptr)}) {
    Random random(7);
    Result<std::optional<Proposal>> proposed = proposer_of(asked)->propose(assignment, random);
    ASSERT_FALSE(proposed.ok());
    EXPECT_EQ(proposed.error().message, "no more replies");
  }
}

TEST_F(ModelTest, ThePhaseDecidesWhatIsAskedAndHowHot) {
  ScriptedModel model(std::vector<std::string>(200, kGood));
  std::unique_ptr<Proposer> proposer = proposer_of(&model);
  assignment.other_parent = &members[2];
  Random random(11);
  for (Phase phase : {Phase::Explore, Phase::Exploit}) {
    assignment.phase = phase;
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(proposer->propose(assignment, random).ok());
  }
  auto count = [&](size_t first, const std::string& words) {
    return std::count_if(model.prompts.begin() + static_cast<ptrdiff_t>(first),
                         model.prompts.begin() + static_cast<ptrdiff_t>(first) + 100,
                         [&](const llm::Prompt& prompt) { return prompt.system.find(words) != std::string::npos; });
  };
  EXPECT_NEAR(count(0, "not a touch-up"), 70, 15);
  EXPECT_NEAR(count(0, "one well-aimed change"), 15, 12);
  EXPECT_NEAR(count(0, "a third"), 15, 12);
  EXPECT_NEAR(count(100, "one well-aimed change"), 75, 15);
  EXPECT_GT(*model.prompts[0].temperature, *model.prompts[100].temperature);
}

TEST_F(ModelTest, AParentWithoutBlocksGivesWayToTheBestThatHasSome) {
  members[0].candidate.files[0].text = "int main() {}\n";
  ScriptedModel model({kGood});
  Proposal proposal = proposal_of(&model);
  EXPECT_EQ(proposal.failure, "");
  EXPECT_EQ(proposal.parent, 3);
  for (Member& member : members) member.candidate.files[0].text = "int main() {}\n";
  Random random(7);
  EXPECT_EQ(proposer_of(&model)->propose(assignment, random).error().message,
            "no member has an evolve block, so nothing may change");
}

TEST_F(ModelTest, LateInTheBudgetParentsAreTheBest) {
  for (store::Id id : {5, 6}) add(gather_member(id, "void step() { put(); }\n", kSplit, 95));
  assignment.is_late = true;
  ScriptedModel model(std::vector<std::string>(20, kGood));
  std::unique_ptr<Proposer> proposer = proposer_of(&model);
  Random random(7);
  std::set<store::Id> parents;
  for (int i = 0; i < 20; ++i) parents.insert((*proposer->propose(assignment, random))->parent);
  EXPECT_EQ(parents, (std::set<store::Id>{3, 5, 6}));
}

class SessionTest : public ModelTest {
 protected:
  Result<std::optional<Proposal>> propose_through(const llm::SessionOptions& options) {
    session = *llm::Session::open(CUCO_SOURCE_DIR, options, environment, clock);
    Random random(7);
    return proposer_of(*session->model(spec), only(ProposalKind::Full))->propose(assignment, random);
  }

  const std::string spec =
      "command:printf 'PLAN:\\ns1 gin/split/peer-signal/cta/whole\\n\\nBLOCK: 1\\n```\\nvoid step() { "
      "put(); }\\n```\\n'";
  testing::FakeEnvironment environment;
  testing::FakeClock clock;
  std::unique_ptr<llm::Session> session;
};

TEST_F(SessionTest, ACommandsReplyAndItsTranscriptGiveTheSameProposal) {
  llm::SessionOptions recording;
  recording.models.record = scratch.path() / "calls.jsonl";
  Result<std::optional<Proposal>> live = propose_through(recording);
  ASSERT_TRUE(live.ok()) << live.error().message;
  EXPECT_EQ((*live)->failure, "");
  log = store::Log::open(scratch.path() / "other.jsonl").value();
  llm::SessionOptions replaying;
  replaying.models.replay = scratch.path() / "calls.jsonl";
  Result<std::optional<Proposal>> replayed = propose_through(replaying);
  ASSERT_TRUE(replayed.ok()) << replayed.error().message;
  EXPECT_EQ((*replayed)->files, (*live)->files);
  EXPECT_EQ((*replayed)->reply, (*live)->reply);
}

TEST_F(SessionTest, ABudgetOfZeroEndsTheProposerBeforeAnythingIsAsked) {
  llm::SessionOptions options;
  options.caps.calls = 0;
  Result<std::optional<Proposal>> proposed = propose_through(options);
  ASSERT_FALSE(proposed.ok());
  EXPECT_EQ(proposed.error().message, "the budget of 0 calls is used up (0 made or under way); raise --budget-calls");
  EXPECT_EQ(session->spent().calls, 0u);
}

TEST_F(SessionTest, WhatTheLogKnowsCountsAgainstTheBudget) {
  ASSERT_TRUE(propose_through({}).ok());
  llm::SessionOptions options;
  options.caps.calls = 1;
  session = *llm::Session::open(CUCO_SOURCE_DIR, options, environment, clock);
  input.share = CUCO_SOURCE_DIR;
  input.model = {"scripted", *session->model(spec), &log, [&](const llm::Reply& reply) { session->charge(reply); }};
  input.mix = only(ProposalKind::Full);
  std::unique_ptr<Proposer> proposer = *ModelProposer::make(input);
  Random random(7);
  EXPECT_TRUE(proposer->propose(assignment, random).ok());
  EXPECT_EQ(session->spent().calls, 1u);
  EXPECT_FALSE(proposer->propose(assignment, random).ok());
}

}  // namespace
}  // namespace cuco::evolve
