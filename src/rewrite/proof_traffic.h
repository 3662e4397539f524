// What runs show of one site of the original: which ranks it connects, and which kernels move data between them now.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "rewrite/proof.h"

namespace cuco::rewrite {

class SiteTraffic {
 public:
  SiteTraffic(const ProofInput& input, const model::Site& site);

  // The pairs of ranks between which the original moved bytes by this site. Those of a receive are its sender's.
  const std::set<model::RankPair>& pairs() const { return pairs_; }

  // Pairs that no data of kernels reach, directly or by way of other ranks.
  std::vector<model::RankPair> missing() const;

  // What kernels that stand for the site move; what all of them do when those do nothing.
  const model::Traffic& moved() const { return moved_; }

  // "kernel NAME, 4096 bytes from each of 4 ranks to each other by lsa", one for each kernel and carrier.
  std::vector<std::string> movers() const;

 private:
  const ProofInput& input_;
  std::set<model::RankPair> pairs_;
  model::Traffic moved_;
};

}  // namespace cuco::rewrite
