#include "space/legality.h"

#include <gtest/gtest.h>

#include <set>

#include "base/files.h"
#include "base/text.h"
#include "space/fixtures.h"
#include "space/plan_legality.h"

namespace cuco::space {
namespace {

std::string source_text(const std::string& path) {
  Result<std::string> text = read_file(std::string(CUCO_SOURCE_DIR) + "/" + path);
  return text ? *text : std::string();
}

std::vector<std::string> all_rule_ids() {
  std::vector<std::string> ids;
  for (const Rule& rule : site_rules()) ids.emplace_back(rule.id);
  for (const PlanRule& rule : plan_rules()) ids.emplace_back(rule.id);
  return ids;
}

TEST(Legality, RuleIdsAreUnique) {
  std::vector<std::string> ids = all_rule_ids();
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
}

TEST(Legality, EveryRuleIsTestedByItsId) {
  std::string tests;
  for (const char* file : {"backend_rules", "placement_rules", "sync_rules", "issue_rules", "plan_legality"})
    tests += source_text(concat("src/space/", file, "_test.cpp"));
  for (const std::string& id : all_rule_ids())
    EXPECT_NE(tests.find(concat("objection(\"", id, "\"")), std::string::npos) << id;
}

TEST(Legality, DocumentationHasARowForEveryRuleAndEveryValue) {
  std::string page = source_text("docs/design_space.md");
  for (const std::string& id : all_rule_ids())
    EXPECT_NE(page.find(concat("\n| `", id, "` |")), std::string::npos) << id;
  for (Dimension dimension : {Dimension::Backend, Dimension::Placement, Dimension::Sync, Dimension::Issuer})
    for (size_t value = 0; value < value_count(dimension); ++value) {
      Directive directive;
      set_value(directive, dimension, value);
      std::string word = value_text(directive, dimension);
      EXPECT_NE(page.find(concat("\n### ", name_of(dimension), " `", word, "`\n")), std::string::npos) << word;
    }
}

TEST(Legality, HostCallIsAlwaysLegalAsItStands) {
  for (const SiteFacts& site : varied_sites())
    for (const model::HardwareProfile& profile : varied_profiles())
      EXPECT_TRUE(is_legal(site, directive("host/deferred/stream-event/cta/whole"), profile)) << site.name;
}

TEST(Legality, CheckTellsEveryReasonAgainstADirective) {
  std::vector<std::string> rules;
  for (const Violation& violation : check(test_site(), directive("gin/deferred/flag/cta/64MiB"), nvlink_box()))
    rules.emplace_back(violation.rule);
  EXPECT_EQ(rules, (std::vector<std::string>{"gin-nic", "flag-needs-store", "chunk-below-message"}));
}

// Enumeration and report ask a rule only about the dimensions of its row.
void expect_blind(const Rule& rule, Dimension dimension, const SiteFacts& site, const model::HardwareProfile& profile) {
  for (const char* text : {"lsa/tile-fused/barrier/multi-cta/4KiB", "gin/split/chunk-signal/cta/1KiB",
                           "host/specialised/host-sync/warp/whole", "multimem/stream/flag/thread/64MiB"}) {
    Directive varied = directive(text);
    std::optional<std::string> expected = rule.objection({site, varied, profile});
    for (size_t value = 0; value < value_count(dimension); ++value) {
      set_value(varied, dimension, value);
      EXPECT_EQ(rule.objection({site, varied, profile}), expected) << rule.id << " " << to_text(varied);
    }
  }
}

TEST(Legality, RulesLookAtNoDimensionBesideThoseOfTheirRow) {
  for (const SiteFacts& site : varied_sites())
    for (const model::HardwareProfile& profile : varied_profiles())
      for (const Rule& rule : site_rules())
        for (Dimension dimension : kDimensions)
          if (!rule.dimensions.contains(dimension)) expect_blind(rule, dimension, site, profile);
}

}  // namespace
}  // namespace cuco::space
