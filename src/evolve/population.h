// All members of a campaign and the islands they live on. Baseline and fast path live on every island; what passed
// elsewhere comes over by migration, as a copy. Sampling costs a walk over one island at most.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.h"
#include "evolve/archive.h"
#include "evolve/proposer.h"
#include "evolve/selection.h"

namespace cuco::evolve {

struct PopulationOptions {
  uint32_t islands = 2;
  size_t archive_capacity = 60;
  bool archive = true;
  std::vector<std::vector<uint32_t>> migration_graph;  // Empty: a ring.
};

struct Parents {
  size_t first = 0;
  std::optional<size_t> second;
};

struct Migration {
  size_t member = 0;
  uint32_t from = 0, to = 0;

  bool operator==(const Migration&) const = default;
};

class Population {
 public:
  explicit Population(const PopulationOptions& options);

  // The member's id is one more than its index. One without a proposer of its own (baseline, fast path) is `shared`.
  void add(Member member, bool shared);
  std::vector<Member> take_pending();
  // A closer look found a fault: nobody descends from it any more.
  void disqualify(size_t member);

  const std::vector<Member>& members() const { return members_; }
  Member& at(size_t member) { return members_[member]; }
  const Archive& archive() const { return archive_; }
  const std::vector<size_t>& ranked(uint32_t island) const { return islands_[island]; }  // That passed, best first.
  std::optional<size_t> best() const { return best_; }

  Parents select(uint32_t island, Selection selection, double pressure, Random& random) const;
  std::vector<size_t> top(uint32_t island, size_t count, size_t without) const;
  std::vector<size_t> recent_failures(size_t count) const;  // Latest first.

  // Copies the best of every island along the graph; islands that have it already are passed over.
  std::vector<Migration> migrate();

 private:
  void settle(size_t member, uint32_t island);
  std::vector<uint32_t> targets(uint32_t island) const;

  PopulationOptions options_;
  std::vector<Member> members_;
  std::vector<std::vector<size_t>> islands_;
  std::vector<size_t> failures_;
  std::optional<size_t> best_;
  Archive archive_;
};

}  // namespace cuco::evolve
