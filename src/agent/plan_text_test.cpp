#include "agent/plan_text.h"

#include <gtest/gtest.h>

namespace cuco::agent {
namespace {

space::Plan plan_of(const std::string& text) { return *space::parse_plan(text, "plan"); }

TEST(PlanText, NamesAllFiveDimensionsOfEverySite) {
  EXPECT_EQ(describe_plan(plan_of("s1 gin/split/peer-signal/cta/whole\ns2 lsa/deferred/barrier/multi-cta/64KiB\n"
                                  "schedule streams=1\n")),
            "Site s1:\n"
            "- backend: gin (put and signal through the NIC, from inside a kernel)\n"
            "- placement: split (start the transfer as early, and wait for it as late, as data allows)\n"
            "- sync: peer-signal (one signal per peer)\n"
            "- issuer: cta (one CTA issues)\n"
            "- chunk: whole (the message to a peer in one piece)\n"
            "Site s2:\n"
            "- backend: lsa (load and store on the peers' windows, within a node)\n"
            "- placement: deferred (communicate after the producing kernel has ended)\n"
            "- sync: barrier (a barrier over the team before and after)\n"
            "- issuer: multi-cta (several CTAs share the work)\n"
            "- chunk: 64KiB (pieces of this size of the message to a peer)\n"
            "Schedule: " +
                space::to_text(plan_of("s1 gin/split/peer-signal/cta/whole\nschedule streams=1\n").schedule) + "\n");
}

TEST(PlanText, EveryPlacementIsExplained) {
  std::string text = describe_placements();
  for (const char* word : {": deferred (communicate after", "; split (", "; stream (", "; tile-fused (send each tile",
                           "; specialised (some CTAs"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
}

TEST(PlanText, OnlyTheRulesOfTheChosenBackendsAreGiven) {
  auto holds = [](const std::string& plan, const char* word) {
    Result<std::string> rules = load_api_rules(CUCO_SOURCE_DIR, plan_of(plan), ApiReader::Converts);
    EXPECT_TRUE(rules.ok()) << rules.error().message;
    return rules->find(word) != std::string::npos;
  };
  const std::string lsa = "s1 lsa/deferred/barrier/cta/whole\n";
  const std::string gin = "s1 gin/deferred/barrier/cta/whole\n";
  const std::string hybrid = "s1 hybrid/deferred/barrier/cta/whole\n";
  EXPECT_TRUE(holds(lsa, "ncclGetLsaPointer"));
  EXPECT_FALSE(holds(lsa, "waitSignal"));
  EXPECT_TRUE(holds(gin, "waitSignal"));
  EXPECT_FALSE(holds(gin, "ncclGetLsaPointer"));
  EXPECT_TRUE(holds(hybrid, "waitSignal") && holds(hybrid, "ncclGetLsaPointer"));
  for (const std::string& plan : {lsa, gin, hybrid}) EXPECT_TRUE(holds(plan, "ncclCommWindowRegister"));
  EXPECT_TRUE(holds(gin, "__global__ void exchange_by_puts(")) << "an example is missing";
  EXPECT_FALSE(holds(gin, "__global__ void gather_by_stores("));
}

TEST(PlanText, HelpersAreForWhoeverProposesAndSetUpForWhoeverConverts) {
  space::Plan plan = plan_of("s1 lsa/deferred/barrier/cta/whole\n");
  std::string proposing = *load_api_rules(CUCO_SOURCE_DIR, plan, ApiReader::Proposes);
  EXPECT_NE(proposing.find("kScratchWindow"), std::string::npos);
  EXPECT_EQ(proposing.find("ncclCommWindowRegister"), std::string::npos);
}

}  // namespace
}  // namespace cuco::agent
