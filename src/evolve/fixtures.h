// A small world for the tests of this folder: programs that are one number, whose time is the number's distance from
// a best one, and a proposer that draws numbers near its parent's.
#pragma once

#include <charconv>
#include <cstdlib>

#include "base/text.h"
#include "evolve/course.h"
#include "evolve/members.h"
#include "space/fixtures.h"

namespace cuco::evolve {

inline evaluate::Verdict timed(double us, double bound_us = 1) {
  evaluate::Verdict verdict;
  verdict.reached = evaluate::Level::Timed;
  verdict.schedules_run = 1;
  verdict.timing.emplace();
  verdict.timing->median_us = us;
  verdict.timing->bound_compute_us = bound_us;
  return verdict;
}

inline evaluate::Verdict rejected(const std::string& kind = "deadlock") {
  evaluate::Verdict verdict;
  verdict.reached = evaluate::Level::Built;
  evaluate::Finding finding;
  finding.level = evaluate::Level::Verified;
  finding.kind = kind;
  finding.text = "rank 1 waits for ever";
  verdict.findings.push_back(finding);
  return verdict;
}

inline std::vector<SourceFile> number_program(int number) {
  return {{"program.cu", concat("int main() { return ", number, "; }\n")}};
}

inline int number_of(const store::Candidate& candidate) {
  const std::string& text = candidate.files.front().text;
  return std::atoi(text.c_str() + text.find("return ") + 7);
}

inline store::Candidate number_candidate(int number, store::Id id = store::kNoId) {
  store::Candidate candidate;
  candidate.id = id;
  candidate.files = number_program(number);
  candidate.proposer = id == 1 ? "baseline" : "numbers";
  return candidate;
}

// A member as if it had been screened.
inline Member member_with(store::Id id, std::optional<double> us, const std::string& plan = {}, uint32_t island = 0) {
  store::Candidate candidate = number_candidate(static_cast<int>(id), id);
  candidate.plan = plan;
  candidate.island = island;
  Member member = member_of(candidate);
  apply(judgement_of(id, Depth::Screen, us ? timed(*us) : rejected()), member);
  return member;
}

class FakeEvaluator : public Evaluator {
 public:
  using Judge = std::function<evaluate::Verdict(const Task&)>;
  explicit FakeEvaluator(Judge judge) : judge_(std::move(judge)) {}

  Result<std::vector<evaluate::Verdict>> evaluate(const std::vector<Task>& tasks) override {
    std::vector<evaluate::Verdict> verdicts(tasks.size());
    // Last first: who finishes first must not matter.
    for (size_t i = tasks.size(); i-- > 0;) {
      verdicts[i] = judge_(tasks[i]);
      seen.push_back(*tasks[i].candidate);
    }
    return verdicts;
  }

  std::vector<store::Candidate> seen;

 private:
  Judge judge_;
};

// Every seventh number deadlocks.
inline evaluate::Verdict judge_number(const Task& task) {
  int number = number_of(*task.candidate);
  return number % 7 == 0 ? rejected() : timed(300 + std::abs(number - 512));
}

class NumberProposer : public Proposer {
 public:
  explicit NumberProposer(std::string name = "numbers") : name_(std::move(name)) {}
  std::string name() const override { return name_; }

  Result<std::optional<Proposal>> propose(const Assignment& assignment, Random& random) override {
    int reach = assignment.phase == Phase::Explore ? 400 : 60;
    int number = number_of(assignment.parent->candidate) + static_cast<int>(random.below(2 * reach + 1)) - reach;
    ++count_;
    Proposal proposal;
    proposal.intent = concat("Tries ", number, ", idea ", count_, ".");
    proposal.files = number_program(number);
    return std::optional(std::move(proposal));
  }

  std::string state() const override { return std::to_string(count_); }
  Status restore(const std::string& text) override {
    count_ = std::atoi(text.c_str());
    return Done{};
  }

 private:
  std::string name_;
  int count_ = 0;
};

// A search over numbers; tests change what they are about.
struct NumberSearch {
  NumberSearch() : evaluator(judge_number) {
    input.options.budget_evaluations = 30;
    input.options.plateau = 0;
    input.options.seed = 5;
    input.baseline = number_candidate(1000);
    input.baseline.proposer = "baseline";
    input.evaluator = &evaluator;
    add_proposer(std::make_unique<NumberProposer>());
  }

  void add_proposer(std::unique_ptr<Proposer> proposer) { input.proposers.push_back({std::move(proposer), {}}); }

  FakeEvaluator evaluator;
  SearchInput input;
};

// All steps from `begin` on to the end, `begin` included.
inline std::vector<store::Step> run_to_end(SearchInput& input, std::vector<store::Step> begin = {}) {
  Course course(input);
  CUCO_ASSERT(course.restore(begin).ok());
  for (;;) {
    Result<std::optional<store::Step>> step = course.next();
    CUCO_ASSERT(step.ok());
    if (!*step) return begin;
    course.add(**step);
    begin.push_back(**step);
  }
}

// Everything in a step that a store keeps.
inline std::string to_text(const store::Step& step) {
  std::string text = concat("step ", step.number, " ", step.state);
  for (const store::Candidate& each : step.candidates) {
    text += concat("candidate ", each.id, " ", each.parent, " ", each.other_parent, " ", each.island, " ",
                   each.generation, " ", each.proposer, " ", each.intent, " ", each.failure, "\n");
    for (store::Id id : each.inspirations) text += concat(" inspired by ", id);
    for (const SourceFile& file : each.files) text += file.text;
  }
  for (const store::Judgement& each : step.judgements) text += concat(each.candidate, each.depth, each.verdict);
  for (const store::Event& each : step.events) text += concat(each.kind, ": ", each.text, "\n");
  for (const store::Lesson& each : step.lessons) text += concat(each.author, ": ", each.text, "\n");
  return text;
}

inline std::vector<std::string> to_texts(const std::vector<store::Step>& steps) {
  std::vector<std::string> texts;
  for (const store::Step& step : steps) texts.push_back(to_text(step));
  return texts;
}

}  // namespace cuco::evolve
