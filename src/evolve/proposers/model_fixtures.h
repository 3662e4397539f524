// A program of one site with a block, members made of it, and models that answer from a script, for the tests of this
// folder.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "evolve/proposers/model.h"
#include "testing/scratch_folder.h"

namespace cuco::evolve {

inline const char* const kDeferred = "s1 gin/deferred/barrier/cta/whole\n";
inline const char* const kSplit = "s1 gin/split/peer-signal/cta/whole\n";

inline std::string gather_program(const std::string& block) {
  return concat("#include <nccl.h>\n// EVOLVE-BLOCK-START\n", block, "// EVOLVE-BLOCK-END\nint main() { step(); }\n");
}

inline Member gather_member(store::Id id, const std::string& block, const std::string& plan, double us) {
  Member member;
  member.candidate.id = id;
  member.candidate.files = {{"gather.cu", gather_program(block)}};
  member.candidate.intent = concat("intent of ", id);
  member.plan = *space::parse_plan(plan, "");
  member.verdict.reached = evaluate::Level::Timed;
  member.verdict.timing.emplace();
  member.verdict.timing->median_us = us;
  member.verdict.timing->path = {.compute_us = us - 40, .exposed_communication_us = 30, .launch_us = 8, .wait_us = 2};
  member.verdict.timing->bound_compute_us = 50;
  member.score = 1e4 / (1 + us / 1000);
  return member;
}

inline Member failed_member(store::Id id, const std::string& plan) {
  Member member = gather_member(id, "void step() { hang(); }\n", plan, 1);
  member.score = 0;
  member.verdict = {};
  evaluate::Finding finding;
  finding.kind = "deadlock";
  finding.text = "rank 1 waits for a signal that nobody raises";
  member.verdict.findings = {finding};
  return member;
}

// Gives its replies in turn and remembers what it was asked.
class ScriptedModel : public llm::Model {
 public:
  std::vector<Result<llm::Reply>> replies;
  std::vector<llm::Prompt> prompts;

  explicit ScriptedModel(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) replies.push_back(llm::Reply{text, {10, 5, false}, 0.25});
  }
  Result<llm::Reply> complete(const llm::Prompt& prompt, llm::Progress&) override {
    prompts.push_back(prompt);
    if (prompts.size() > replies.size()) return Error{"no more replies"};
    return replies[prompts.size() - 1];
  }
  const std::string& asked(size_t call) const { return prompts.at(call).messages[0].text; }
};

// A population of a baseline, two that passed and one that did not, with a log for what models say about it.
class ModelTest : public ::testing::Test {
 protected:
  ModelTest() {
    members = {gather_member(1, "void step() { gather(); }\n", kDeferred, 120),
               gather_member(2, "void step() { put(); wait(); }\n", kSplit, 100),
               gather_member(3, "void step() { put(); other_work(); wait(); }\n", kSplit, 90),
               failed_member(4, kSplit)};
    assign();
    assignment.lessons = {"split pays at s1"};
    assignment.members = &members;
  }

  void assign() {
    assignment.baseline = assignment.parent = &members[0];
    assignment.inspirations = {&members[1]};
    assignment.failures = {&members[3]};
  }

  void add(Member member) {
    members.push_back(std::move(member));
    assign();
  }

  std::unique_ptr<Proposer> proposer_of(llm::Model* model, ModelMix mix = {}) {
    input.share = CUCO_SOURCE_DIR;
    input.model = {"scripted", model, &log};
    input.mix = mix;
    Result<std::unique_ptr<Proposer>> made = ModelProposer::make(input);
    EXPECT_TRUE(made.ok()) << (made ? "" : made.error().message);
    return *std::move(made);
  }

  Proposal proposal_of(llm::Model* model, ModelMix mix = {}) {
    Random random(7);
    Result<std::optional<Proposal>> proposed = proposer_of(model, mix)->propose(assignment, random);
    EXPECT_TRUE(proposed.ok()) << (proposed ? "" : proposed.error().message);
    EXPECT_TRUE(proposed->has_value());
    return **proposed;
  }

  static ModelMix only(agent::ProposalKind kind) {
    RequestMix mix;
    mix.temperature = 0.5;
    (kind == agent::ProposalKind::Full ? mix.full : kind == agent::ProposalKind::Diff ? mix.diff : mix.crossover) = 1;
    return {.explore = mix, .exploit = mix};
  }

  testing::ScratchFolder scratch;
  store::Log log = store::Log::open(scratch.path() / "log.jsonl").value();
  std::vector<Member> members;
  Assignment assignment;
  ModelProposerInput input;
};

}  // namespace cuco::evolve
