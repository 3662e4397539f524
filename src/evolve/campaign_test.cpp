#include "evolve/campaign.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "testing/scratch_folder.h"

namespace cuco::evolve {
namespace {

CampaignSetting setting() {
  CampaignSetting setting;
  setting.name = "mine";
  setting.command = "cuco optimize mine";
  setting.configuration.name = "large";
  setting.configuration.profile = "a100x4-nvlink";
  setting.configuration.rank_count = 4;
  setting.configuration.node_count = 2;
  setting.configuration.parameters = {{"rows", 64}};
  setting.proofs = {{setting.configuration, {{"a.h", "constexpr int N =", "8", "4"}}, "rows=8, N=4 (of 64, 8)"}};
  setting.proofs[0].configuration.parameters = {{"rows", 8}};
  setting.baseline = {{"program.cu", "int main() {} // \xff is not UTF-8\n"}, {"host/side.cpp", "int x;\n"}};
  setting.flags.definitions = {"A=1"};
  setting.flags.include_folders = {"/elsewhere/include"};
  setting.flags.c_standard = "c99";
  setting.configuration.arguments = {"-v", "rows=64"};
  setting.memory_gib = 12;
  setting.staged = true;
  setting.proposers = {"rules", "model"};
  setting.models = {"command:sh x"};
  setting.budget_usd = 1.5;
  setting.search.seed = 7;
  setting.place = {"workloads/mine", " --config large", " -- a=1", "/somewhere", "/here"};
  return setting;
}

class CampaignTest : public ::testing::Test {
 protected:
  CampaignTest() { EXPECT_TRUE(save_campaign(setting(), folder.path()).ok()); }
  std::string message() const {
    Result<CampaignSetting> loaded = load_campaign(folder.path());
    return loaded ? "no error" : replace_all(loaded.error().message, folder.path().string(), "RUN");
  }
  testing::ScratchFolder folder;
};

TEST_F(CampaignTest, ComesBackAsItWasSaved) {
  Result<CampaignSetting> loaded = load_campaign(folder.path());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->baseline, setting().baseline);
  EXPECT_EQ(loaded->search, setting().search);
  EXPECT_EQ(loaded->flags, setting().flags);
  EXPECT_EQ(loaded->place.folder, setting().place.folder);
  EXPECT_EQ(loaded->place.selection, setting().place.selection);
  EXPECT_EQ(loaded->budget_usd, 1.5);
  EXPECT_EQ(loaded->memory_gib, 12);
  EXPECT_TRUE(loaded->staged);
  ASSERT_EQ(loaded->proofs.size(), 1u);
  EXPECT_EQ(loaded->proofs[0].constants, setting().proofs[0].constants);
  EXPECT_EQ(loaded->proofs[0].configuration.parameters, setting().proofs[0].configuration.parameters);
  EXPECT_TRUE(request_of(*loaded).is_sampled());
  EXPECT_EQ(campaign_of(*loaded).options, campaign_of(setting()).options);
  EXPECT_EQ(verdict_setting(*loaded), verdict_setting(setting()));
}

TEST_F(CampaignTest, PlaceIsNoPartOfWhatTheStoreKeeps) {
  CampaignSetting elsewhere = setting();
  elsewhere.place = {"/other/mine", "", "", {"/other"}};
  EXPECT_EQ(campaign_of(elsewhere).options, campaign_of(setting()).options);
}

TEST_F(CampaignTest, VerdictsDependOnTheConfigurationAndNotOnTheSearch) {
  CampaignSetting other = setting();
  other.search.seed = 8;
  EXPECT_EQ(verdict_setting(other), verdict_setting(setting()));
  other.configuration.parameters = {{"rows", 65}};
  EXPECT_NE(verdict_setting(other), verdict_setting(setting()));
  other = setting();
  other.proofs[0].constants[0].after = "2";
  EXPECT_NE(verdict_setting(other), verdict_setting(setting()));
}

TEST_F(CampaignTest, GpusComeBack) {
  CampaignSetting measured = setting();
  measured.budget_minutes = 10;
  measured.gpu = GpuCampaign{"one-gpu", "H200", "driver 1", 12, 16, "hosts.txt", "srun", 1};
  ASSERT_TRUE(save_campaign(measured, folder.path()).ok());
  Result<CampaignSetting> loaded = load_campaign(folder.path());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->gpu->launcher, "srun");
  EXPECT_EQ(campaign_of(*loaded).options, campaign_of(measured).options);
  EXPECT_EQ(gpu_verdict_setting(*loaded), gpu_verdict_setting(measured));
  loaded->gpu->device = "H100";
  EXPECT_NE(gpu_verdict_setting(*loaded), gpu_verdict_setting(measured));
}

TEST_F(CampaignTest, InputKeyIsKeptAndDecidesVerdictsButIsNotInTheStore) {
  CampaignSetting keyed = setting();
  keyed.input_key = "feed";
  ASSERT_TRUE(save_campaign(keyed, folder.path()).ok());
  EXPECT_EQ(request_of(load_campaign(folder.path()).value()).input_key, "feed");
  EXPECT_NE(verdict_setting(keyed), verdict_setting(setting()));
  EXPECT_EQ(campaign_of(keyed).options, campaign_of(setting()).options);
}

TEST_F(CampaignTest, ChangedProgramIsNamed) {
  ASSERT_TRUE(write_file(folder.path() / "program/program.cu", "int main() { return 1; }\n").ok());
  EXPECT_EQ(message(), "RUN/program/program.cu: was changed after the run began; put it back as it was");
}

TEST_F(CampaignTest, NewerFormatAndDamageAreRefused) {
  ASSERT_TRUE(write_file(folder.path() / "campaign.json", "{\"format\": 9}").ok());
  EXPECT_EQ(message(), "RUN/campaign.json: has format 9; this version of cuco reads format 1");
  ASSERT_TRUE(write_file(folder.path() / "campaign.json", "{\"format\": 1}").ok());
  EXPECT_TRUE(message().starts_with("RUN/campaign.json: is damaged: ")) << message();
  ASSERT_TRUE(write_file(folder.path() / "campaign.json", "nothing").ok());
  EXPECT_EQ(message(), "RUN/campaign.json: is not a campaign of cuco");
}

}  // namespace
}  // namespace cuco::evolve
