#include "space/report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "space/enumerate.h"
#include "space/fixtures.h"
#include "space/refusals.h"

namespace cuco::space {
namespace {

size_t count_refused(std::string_view rule, const std::string& reason, const SiteFacts& site,
                     const model::HardwareProfile& profile) {
  size_t count = 0;
  for_each_combination([&](const Directive& directive) {
    for (const Violation& violation : check(site, directive, profile))
      count += violation.rule == rule && violation.reason == reason;
  });
  return count;
}

TEST(Refusals, CountTheCombinationsThatBreakTheRule) {
  SiteFacts site = test_site();
  for (const model::HardwareProfile& profile : {nvlink_box(), two_nodes()})
    for (const Refusal& refusal : refusals(site, profile))
      EXPECT_EQ(refusal.combinations, count_refused(refusal.rule, refusal.reason, site, profile)) << refusal.rule;
}

std::string subject(std::string_view rule, const SiteFacts& site) {
  for (const Refusal& refusal : refusals(site, nvlink_box()))
    if (refusal.rule == rule) return refusal.subject;
  return {};
}

TEST(Refusals, NameTheRefusedValues) {
  EXPECT_EQ(subject("gin-nic", test_site()), "gin");
  EXPECT_EQ(subject("signal-needs-put", test_site()), "lsa, multimem with peer-signal, chunk-signal");
  EXPECT_EQ(subject("chunk-below-message", test_site()), "16MiB, 64MiB");
  EXPECT_EQ(subject("host-chunk-layout", test_site()), "host with 1KiB..64MiB");
  EXPECT_EQ(subject("barrier-equal-grids", site_with_grids(std::nullopt)), "tile-fused with barrier and multi-cta");
}

size_t occurrences(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

TEST(Report, TellsChoicesCountsAndReasons) {
  std::string text = space_text({test_site()}, two_nodes());
  for (std::string_view line : {
           "design space of 1 site on box, 2 nodes of 1 rank, roce between\n",
           "s1 ncclAllGather at ring.cu:10:3, 16 MiB a message\n",
           "  456 of 6000 combinations are legal\n",
           "    backend    host 4, gin 452\n",
           "  fast path: gin/deferred/barrier/cta/whole\n",
           "    multimem (1200): box has no NVLink multicast [multimem-hardware]\n",
       })
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST(Report, TellsOnceWhatHoldsAtEverySite) {
  SiteFacts conditional = test_site("s2");
  conditional.condition = "rank == 0";
  std::string text = space_text({test_site("s1"), conditional}, two_nodes());
  EXPECT_EQ(occurrences(text, "[multimem-hardware]"), 1u) << text;
  EXPECT_EQ(occurrences(text, "[barrier-all-ranks]"), 1u) << text;
  EXPECT_LT(text.find("[barrier-all-ranks]"), text.find("not legal at any of these sites, and why\n")) << text;
  EXPECT_GT(text.find("[multimem-hardware]"), text.find("not legal at any of these sites, and why\n")) << text;
}

TEST(Report, LeavesOutReasonsAgainstWhatIsRefusedAnyway) {
  EXPECT_EQ(occurrences(space_text({test_site()}, two_nodes()), "[signal-needs-put]"), 0u);
  EXPECT_EQ(occurrences(space_text({test_site()}, nvlink_box()), "[signal-needs-put]"), 1u);
  EXPECT_EQ(occurrences(space_json({test_site()}, two_nodes()), "\"signal-needs-put\""), 1u);
}

TEST(Report, FitsAHundredColumns) {
  for (const model::HardwareProfile& profile : varied_profiles())
    for (const std::string& line : split(space_text(varied_sites(), profile), '\n'))
      EXPECT_LE(line.size(), 100u) << line;
}

TEST(Report, JsonHoldsEveryLegalDirectiveAndEveryRefusal) {
  std::string json = space_json({test_site()}, two_nodes());
  for (const Directive& directive : legal_directives(test_site(), two_nodes()))
    EXPECT_NE(json.find(concat("\"", to_text(directive), "\"")), std::string::npos) << to_text(directive);
  EXPECT_NE(json.find("\"legal_count\": 456"), std::string::npos) << json.substr(0, 600);
  EXPECT_EQ(occurrences(json, "\"rule\":"), refusals(test_site(), two_nodes()).size());
}

TEST(Report, ProgramWithoutSitesHasAnEmptySpace) {
  EXPECT_EQ(space_text({}, two_nodes()), "design space of 0 sites on box, 2 nodes of 1 rank, roce between\n");
  EXPECT_NE(space_json({}, two_nodes()).find("\"sites\": []"), std::string::npos);
}

}  // namespace
}  // namespace cuco::space
