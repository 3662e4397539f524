#include "evolve/repairs.h"

#include <gtest/gtest.h>

#include "evolve/proposers/model_fixtures.h"

namespace cuco::evolve {
namespace {

bool any(const std::string& proposer) { return proposer == "model"; }

class RepairsTest : public ::testing::Test {
 protected:
  RepairsTest() { members.push_back(gather_member(1, "void step() {}\n", kDeferred, 100)); }

  void reject(store::Id parent) {
    members.push_back(failed_member(static_cast<store::Id>(members.size()) + 1, kSplit));
    members.back().candidate.proposer = "model";
    members.back().candidate.parent = parent;
  }

  std::vector<store::Id> due() const {
    std::vector<store::Id> ids;
    for (const Member* member : attempts_to_repair(members, any)) ids.push_back(member->candidate.id);
    return ids;
  }

  std::vector<Member> members;
};

TEST_F(RepairsTest, ARejectedProposalIsRepairedThreeTimes) {
  EXPECT_EQ(due(), std::vector<store::Id>());
  for (store::Id id : {2, 3, 4}) {
    reject(id - 1);
    std::vector<store::Id> all;
    for (store::Id one = 2; one <= id; ++one) all.push_back(one);
    EXPECT_EQ(due(), all);
  }
  reject(4);
  EXPECT_EQ(due(), std::vector<store::Id>());
}

TEST_F(RepairsTest, WhatPassedIsNewOrIsOfSomebodyElseIsLeftAlone) {
  reject(1);
  members[1].candidate.proposer = "rules";
  EXPECT_EQ(due(), std::vector<store::Id>());
  members[1].candidate.proposer = "model";
  members[1].pending = true;
  EXPECT_EQ(due(), std::vector<store::Id>());
  members[1].pending = false;
  members[1].candidate.failure = "the same program as #1";
  EXPECT_EQ(due(), std::vector<store::Id>());
  members[1].candidate.failure = "the reply states no plan";
  EXPECT_EQ(due(), std::vector<store::Id>{2});
}

TEST_F(RepairsTest, ARepairUnderWayIsNotAskedForTwice) {
  reject(1);
  reject(1);
  EXPECT_EQ(due(), std::vector<store::Id>{2});
  members.push_back(gather_member(4, "void step() { put(); }\n", kSplit, 90));
  members.back().candidate.parent = 2;
  EXPECT_EQ(due(), std::vector<store::Id>{3});
}

TEST_F(RepairsTest, AReplyWithoutAProgramStandsOnItsParents) {
  reject(1);
  members[1].candidate.files.clear();
  reject(2);
  members[2].candidate.files.clear();
  EXPECT_EQ(nearest_program(members, members[2]).candidate.id, 1);
}

}  // namespace
}  // namespace cuco::evolve
