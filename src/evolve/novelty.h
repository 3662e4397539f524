// Whether a program is worth an evaluation: not when the same text was judged before, nor, unless a model wrote it,
// when it is nearly the text of a member with the same plan and the same numbers. Texts that differ in a number only
// are different programs to somebody who tunes, however alike they are.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evolve/proposer.h"

namespace cuco::evolve {

class Novelty {
 public:
  explicit Novelty(double similarity_max) : similarity_max_(similarity_max) {}

  // Member i of `members` stays member i; those that are known already are not looked at again.
  void catch_up(const std::vector<Member>& members);

  // Why `member` need not be evaluated, in one sentence, or nothing.
  std::optional<std::string> objection(const Member& member, const std::vector<Member>& members) const;

 private:
  std::optional<size_t> most_alike(const std::vector<size_t>& indices, const TextSketch& sketch,
                                   const std::vector<Member>& members) const;

  double similarity_max_;
  size_t known_count_ = 0;
  std::map<std::string, size_t> by_text_key_;
  std::map<std::string, std::vector<size_t>> by_plan_;
};

// Whether a model's program was not evaluated because of the above.
bool is_objection(const std::string& failure);

}  // namespace cuco::evolve
