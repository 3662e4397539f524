// What `cuco fidelity` says: of a run that has measured times, and where there is nothing to measure on.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/fixtures.h"
#include "evolve/campaign.h"
#include "evolve/members.h"
#include "store/run_folder.h"
#include "store/store.h"
#include "testing/scratch_folder.h"

namespace cuco::cli {
namespace {

namespace fs = std::filesystem;

evaluate::Verdict measured(double virtual_us, double gpu_us) {
  evaluate::Verdict verdict;
  verdict.reached = evaluate::Level::Timed;
  verdict.executor = "one-gpu";
  verdict.predicted_us = virtual_us;
  verdict.timing.emplace();
  verdict.timing->median_us = gpu_us;
  verdict.timing->spread_us = 2;
  verdict.timing->bound_compute_us = 40;
  verdict.timing->path.compute_us = gpu_us / 2;
  return verdict;
}

// Four candidates: two with both times, one that was verified only, one that was rejected.
class FidelityOfRunTest : public ::testing::Test {
 protected:
  FidelityOfRunTest() {
    evolve::CampaignSetting setting;
    setting.name = "mine";
    setting.configuration.name = "large";
    setting.gpu.emplace();
    setting.gpu->executor = "one-gpu";
    setting.gpu->device = "H200";
    setting.gpu->software = "driver 1";
    setting.configuration.profile = "h200-mps2";
    write(setting);
  }

  void write(const evolve::CampaignSetting& setting) {
    EXPECT_TRUE(evolve::save_campaign(setting, folder.path()).ok());
    fs::remove(store::store_file_of(folder.path()));
    store::Store store = *store::Store::create(store::store_file_of(folder.path()), evolve::campaign_of(setting));
    store::Step step;
    step.number = 1;
    evaluate::Verdict untimed, wrong = measured(5, 5);
    untimed.predicted_us = 90;
    wrong.findings.push_back({evaluate::Level::Timed, "wrong_result", model::Severity::Error, 0, "differs", 0, ""});
    for (const evaluate::Verdict& verdict : {measured(110, 100), measured(190, 200), untimed, wrong}) {
      store::Candidate candidate;
      candidate.id = static_cast<store::Id>(step.candidates.size()) + 1;
      candidate.parent = candidate.id > 1 ? 1 : store::kNoId;
      candidate.proposer = candidate.id > 1 ? "rules" : "baseline";
      candidate.plan = candidate.id > 1 ? "s1 lsa/deferred/barrier/cta/whole\n" : "";
      step.candidates.push_back(candidate);
      step.judgements.push_back(evolve::judgement_of(candidate.id, evolve::Depth::Screen, verdict));
    }
    EXPECT_TRUE(store.commit(step).ok());
  }

  cuco::testing::ScratchFolder folder;
};

TEST_F(FidelityOfRunTest, ShowsWhatHasBothTimes) {
  Outcome outcome = run({"fidelity", "--from", folder.path().string(), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  nlohmann::json json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["programs"].size(), 2u);
  EXPECT_EQ(json["with_both_times"], 2);
  EXPECT_DOUBLE_EQ(json["median_error_percent"].get<double>(), 7.5);
  EXPECT_DOUBLE_EQ(json["rank_correlation"].get<double>(), 1);
  EXPECT_EQ(json["programs"][1]["plan"], "lsa, deferred, barrier");
  EXPECT_EQ(json["device"], "H200");
}

TEST_F(FidelityOfRunTest, TextEndsInTheNumbers) {
  Outcome outcome = run({"fidelity", "--from", folder.path().string()});
  EXPECT_NE(outcome.out.find("2 programs with both times: median error 7.5 %, rank correlation 1.00\n1 other with the "
                             "compute of the first as measured: median error 18.0 %, rank correlation -\n"),
            std::string::npos)
      << outcome.out;
}

// Half of the first's 110 us is compute, which takes 40 on the GPU without communication; half of the second's 190,
// too.
TEST_F(FidelityOfRunTest, ComputeIsAnchoredToWhatTheFirstNeedsWithoutCommunication) {
  nlohmann::json json = nlohmann::json::parse(run({"fidelity", "--from", folder.path().string(), "--json"}).out);
  EXPECT_DOUBLE_EQ(json["programs"][0]["anchored_us"].get<double>(), 95);
  EXPECT_NEAR(json["programs"][1]["anchored_us"].get<double>(), 95 + 95 * 40.0 / 55, 1e-9);
}

TEST_F(FidelityOfRunTest, RunOfTheVirtualClusterHasNothingToCompare) {
  evolve::CampaignSetting setting;
  setting.name = "mine";
  write(setting);
  Outcome outcome = run({"fidelity", "--from", folder.path().string()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("was run on the virtual cluster alone"), std::string::npos) << outcome.err;
}

TEST(Fidelity, AsksForAWorkloadOrARun) {
  Outcome outcome = run({"fidelity"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("name a workload, or a run with --from"), std::string::npos) << outcome.err;
}

TEST(Fidelity, VirtualClusterIsNotComparedWithItself) {
  Outcome outcome = run({"fidelity", CUCO_SOURCE_DIR "/workloads", "--on", "vcluster"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("one of mpi, one-gpu"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace cuco::cli
