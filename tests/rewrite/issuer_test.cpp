// Who issues a message changes no byte of it: every issuer and number of communication blocks, messages of odd sizes
// and empty ones. ./test --all runs every combination.
#include <gtest/gtest.h>

#include "planned.h"
#include "testing/share.h"

namespace cuco {
namespace {

struct Issuing {
  std::string backend, issuer;
  uint32_t ctas = 1;
};

std::vector<Issuing> issuings() {
  bool all = testing::runs_all_cases();
  std::vector<Issuing> chosen;
  for (const char* backend : {"lsa", "gin", "hybrid"}) {
    for (const char* issuer : {"thread", "warp", "cta"})
      if (all || std::string(issuer) != "cta") chosen.push_back({backend, issuer});
    for (uint32_t ctas : {2u, 4u, 8u, 16u, 32u})
      if (all || (ctas == 8 && std::string(backend) != "hybrid")) chosen.push_back({backend, "multi-cta", ctas});
  }
  return chosen;
}

std::string name_of(const ::testing::TestParamInfo<Issuing>& info) {
  return replace_all(concat(info.param.backend, "_", info.param.issuer, "_", info.param.ctas), "-", "_");
}

class Issuers : public ::testing::TestWithParam<Issuing> {};
INSTANTIATE_TEST_SUITE_P(All, Issuers, ::testing::ValuesIn(issuings()), name_of);

TEST_P(Issuers, MoveTheSameBytes) {
  bool near = GetParam().backend == "lsa";
  std::string profile = near ? "h100x8-nvlink" : "a100-2node-roce";
  Trial trial{kFolder / "odd_messages.cu", {}, {}, 4, near ? 1u : 2u};
  Result<Analysed> all = analysed(trial.program);
  ASSERT_TRUE(all) << all.error().message;
  space::Schedule schedule;
  schedule.communication_ctas = GetParam().ctas;
  std::string directive = concat(GetParam().backend, "/deferred/barrier/", GetParam().issuer, "/whole");
  Result<rewrite::Rewritten> result = rewritten_by(*all, uniform_plan(*all, directive, schedule));
  ASSERT_TRUE(result) << result.error().message;
  static const std::string before = printed_by(trial, profile);
  ASSERT_TRUE(before.ends_with("\nok")) << before;
  EXPECT_EQ(printed_by_text(trial, result->sources[0].text, profile), before);
}

TEST(IssuerText, NamesTheIssuerInTheCall) {
  Result<Analysed> all = analysed(kFolder / "odd_messages.cu");
  ASSERT_TRUE(all) << all.error().message;
  Result<rewrite::Rewritten> warp = rewritten_by(*all, uniform_plan(*all, "gin/deferred/barrier/warp/whole", {}));
  ASSERT_TRUE(warp) << warp.error().message;
  const std::string& text = warp->sources[0].text;
  EXPECT_NE(text.find("cuco::comm::send(cuco::comm::gin<1>.by_warp(), "), std::string::npos);
  Result<rewrite::Rewritten> cta = rewritten_by(*all, uniform_plan(*all, "gin/deferred/barrier/cta/whole", {}));
  ASSERT_TRUE(cta) << cta.error().message;
  EXPECT_NE(cta->sources[0].text.find("cuco::comm::send(cuco::comm::gin<1>, "), std::string::npos);
}

}  // namespace
}  // namespace cuco
