// Steps like those of a search, drawn from a seed: shared and unlike texts, failures, closer looks, notes.
#pragma once

#include <string>

#include "base/random.h"
#include "base/text.h"
#include "store/records.h"

namespace cuco::testing {

inline store::Campaign make_campaign() {
  return {"program", "small", "cuco optimize program --config small --seed 7", R"({"seed":7})"};
}

// `lines` of a kernel's text; candidates of one seed share most of them.
inline std::string make_text(Random& random, size_t lines) {
  std::string text = "// EVOLVE-BLOCK-START\n";
  for (size_t i = 0; i < lines; ++i)
    text += concat("  result[", i, "] = slice[", random.chance(0.02) ? random.below(100) : i, "];\n");
  return text + "// EVOLVE-BLOCK-END\n";
}

inline store::Candidate make_candidate(store::Id id, uint64_t seed, size_t lines) {
  Random random(seed * 1'000'003 + static_cast<uint64_t>(id));
  store::Candidate candidate;
  candidate.id = id;
  candidate.parent = id == 1 ? store::kNoId : static_cast<store::Id>(1 + random.below(static_cast<uint64_t>(id) - 1));
  if (id > 3) candidate.inspirations = {id - 1, 1, id - 2};
  candidate.island = static_cast<uint32_t>(id % 2);
  candidate.generation = static_cast<uint32_t>(id / 2);
  candidate.proposer = id == 1 ? "baseline" : "rules";
  candidate.intent = concat("chunk ", random.below(64), ", because the link is idle");
  candidate.plan = concat("s1 lsa/stream/barrier/cta/", 1024 << random.below(8), "\n");
  if (id % 7 == 0) {
    candidate.failure = "the reply held no program";
    candidate.prompt = "p7";
    candidate.cost_usd = 0.01;
    return candidate;
  }
  candidate.files = {{"program.cu", make_text(random, lines)}, {"host.cpp", "int main() { return 0; }\n"}};
  return candidate;
}

inline store::Judgement make_judgement(const store::Candidate& candidate, const std::string& depth) {
  bool passed = candidate.id % 5 != 0;
  double time_us = 1000.0 / (1 + 0.01 * static_cast<double>(candidate.id));
  store::Judgement judgement;
  judgement.candidate = candidate.id;
  judgement.depth = depth;
  judgement.level = passed ? "timed" : "built";
  judgement.passed = passed;
  judgement.verdict = concat(R"({"reached":")", judgement.level, R"(","padding":")", std::string(2000, 'v'), "\"}");
  judgement.schedules = depth == "full" ? 16 : 1;
  if (!passed) return judgement;
  judgement.time_us = time_us;
  judgement.bound_us = 400;
  judgement.hidden = (1000 - time_us) / 600;
  judgement.score = 10'000 / (1 + time_us / 1000);
  return judgement;
}

// Two candidates a step, as the search has them: step n holds 2n - 1 and 2n.
inline store::Step make_step(uint64_t number, uint64_t seed, size_t lines = 40) {
  store::Step step;
  step.number = number;
  for (store::Id id : {static_cast<store::Id>(2 * number - 1), static_cast<store::Id>(2 * number)}) {
    step.candidates.push_back(make_candidate(id, seed, lines));
    if (step.candidates.back().failure.empty())
      step.judgements.push_back(make_judgement(step.candidates.back(), "screen"));
  }
  if (number % 4 == 0 && step.candidates[0].failure.empty())
    step.judgements.push_back(make_judgement(step.candidates[0], "full"));
  if (number % 3 == 0) step.events.push_back({"best", concat("candidate ", 2 * number, " is the best so far")});
  if (number % 8 == 0) step.lessons.push_back({"statistics", concat("after step ", number, ": larger chunks pay")});
  step.state = concat("random ", Random(seed + number).next());
  return step;
}

}  // namespace cuco::testing
