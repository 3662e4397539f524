#include "evaluate/workload.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "model/profile_toml.h"

namespace cuco::evaluate {
namespace {

const std::filesystem::path kProfiles = std::filesystem::path(CUCO_SOURCE_DIR) / "profiles";

constexpr const char* kHead = R"(summary = "a sum"
profile = "a100x4-nvlink"
ranks = 4
)";

Result<Workload> parse(const std::string& configurations) { return parse_workload("w", kHead + configurations); }

std::string message(const std::string& text) {
  Result<Workload> workload = parse_workload("w", text);
  return workload ? "no error" : workload.error().message;
}
std::string message_after_head(const std::string& text) { return message(kHead + text); }

constexpr const char* kTwins = R"([parameters]
rows = 4096
cols = 8
[config.small]
purpose = "verify"
ranks = 2
parameters = { rows = 64 }
[config.full]
purpose = "full"
[config.full-twin]
purpose = "twin"
twin_of = "full"
scale = { compute = 8.0, memory = 4, link = 2.0, multiprocessors = 0.25 }
)";

TEST(Workload, ConfigurationsKeepTheFilesOrderAndInherit) {
  Result<Workload> workload = parse(kTwins);
  ASSERT_TRUE(workload.ok()) << workload.error().message;
  ASSERT_EQ(workload->configurations.size(), 3u);
  const Configuration& small = workload->configurations[0];
  EXPECT_EQ(small.name, "small");
  EXPECT_EQ(small.rank_count, 2u);
  EXPECT_EQ(small.parameters, (std::vector<std::pair<std::string, int64_t>>{{"cols", 8}, {"rows", 64}}));
  EXPECT_EQ(workload->configurations[2].twin_of, "full");
  EXPECT_EQ(workload->configurations[2].rank_count, 4u);
  EXPECT_EQ(workload->files, std::vector<std::filesystem::path>{"w/program.cu"});
}

TEST(Workload, TwinRunsOnAScaledProfile) {
  Result<Workload> workload = parse(kTwins);
  model::HardwareProfile full = *profile_of(*find_configuration(*workload, "full"), kProfiles);
  model::HardwareProfile twin = *profile_of(*find_configuration(*workload, "full-twin"), kProfiles);
  EXPECT_DOUBLE_EQ(twin.gpu.fp32_tflops, full.gpu.fp32_tflops / 8);
  EXPECT_DOUBLE_EQ(twin.gpu.hbm_gb_per_s, full.gpu.hbm_gb_per_s / 4);
  EXPECT_DOUBLE_EQ(twin.topology.inside->gb_per_s, full.topology.inside->gb_per_s / 2);
  EXPECT_DOUBLE_EQ(twin.host.gflop_per_s, full.host.gflop_per_s / 8);
  EXPECT_DOUBLE_EQ(twin.host.pcie_gb_per_s, full.host.pcie_gb_per_s / 2);
  EXPECT_DOUBLE_EQ(twin.host.gop_per_s, full.host.gop_per_s) << "what controls the work is as much as ever";
  EXPECT_EQ(twin.gpu.sm_count, full.gpu.sm_count / 4);
  EXPECT_DOUBLE_EQ(twin.gpu.clock_ghz * twin.gpu.sm_count, full.gpu.clock_ghz * full.gpu.sm_count / 8);
  EXPECT_DOUBLE_EQ(twin.latencies.launch_us, full.latencies.launch_us);
  ASSERT_TRUE(twin.original.has_value());
  EXPECT_EQ(twin.original->gpu.clock_ghz, full.gpu.clock_ghz);
  EXPECT_EQ(twin.original->bytes_scale, 2);
  EXPECT_FALSE(full.original.has_value());
}

TEST(Workload, ScaledProfileSurvivesItsFile) {
  Result<Workload> workload = parse(kTwins);
  model::HardwareProfile twin = *profile_of(*find_configuration(*workload, "full-twin"), kProfiles);
  Result<model::HardwareProfile> read = model::parse_profile(twin.name, "scaled.toml", model::to_toml(twin));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(model::to_toml(*read), model::to_toml(twin));
  EXPECT_EQ(read->gpu.clock_ghz, twin.gpu.clock_ghz);
  ASSERT_TRUE(read->original.has_value());
  EXPECT_EQ(read->original->gpu.sm_count, twin.original->gpu.sm_count);
}

TEST(Workload, UnknownProfileIsNamedAtItsConfiguration) {
  Result<Workload> workload = parse("[config.small]\npurpose = \"verify\"\nprofile = \"a100x4-nvlnk\"\n");
  Result<model::HardwareProfile> profile = profile_of(workload->configurations[0], kProfiles);
  ASSERT_FALSE(profile.ok());
  EXPECT_TRUE(profile.error().message.starts_with(
      "w/workload.toml:4: profile a100x4-nvlnk: no such profile; did you mean a100x4-nvlink?"))
      << profile.error().message;
}

TEST(Workload, MoreNodesThanTheProfileJoinsAreRefused) {
  Result<Workload> workload = parse("[config.small]\npurpose = \"verify\"\nnodes = 2\n");
  EXPECT_EQ(profile_of(workload->configurations[0], kProfiles).error().message,
            "w/workload.toml:4: 2 nodes, but profile a100x4-nvlink has only one");
}

TEST(Workload, DemoNamesAConfiguration) {
  EXPECT_EQ(parse_workload("w", concat("demo = \"small\"\n", kHead, kTwins))->demo, "small");
  EXPECT_EQ(message(concat("demo = \"tiny\"\n", kHead, kTwins)),
            "w/workload.toml:1: demo is tiny; it must be the name of a configuration: small, full, full-twin");
}

TEST(Workload, UnknownConfigurationListsThoseThereAre) {
  EXPECT_EQ(find_configuration(*parse(kTwins), "smal").error().message,
            "smal: no such configuration of w; did you mean small? there are small, full, full-twin");
}

struct BadFile {
  const char* name;
  std::string text;
  std::string message;
};

std::string small_with(const std::string& lines) {
  return concat(kHead, "[config.small]\npurpose = \"verify\"\n", lines);
}

class BadWorkload : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadWorkload, IsRefusedWithItsPlace) { EXPECT_EQ(message(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    Workload, BadWorkload,
    ::testing::Values(
        BadFile{"NoSummary", "ranks = 2\n",
                "w/workload.toml:1: the file lacks summary; add it as one line of text in quotes"},
        BadFile{"NoRanks", "summary = \"s\"\n[config.a]\npurpose = \"verify\"\n",
                "w/workload.toml:1: the file lacks ranks; add it as a whole number above 0"},
        BadFile{"NoConfiguration", kHead,
                "w/workload.toml:1: the file lacks config; add it as one table [config.NAME] or more"},
        BadFile{"UnknownKey", small_with("rank = 2\n"),
                "w/workload.toml:6: unknown key rank in [config.small]; did you mean ranks?"},
        BadFile{"ZeroRanks", small_with("ranks = 0\n"),
                "w/workload.toml:6: config.small.ranks is 0; it must be a whole number from 1 to 65536"},
        BadFile{"RanksAsText", small_with("ranks = \"two\"\n"),
                "w/workload.toml:6: config.small.ranks is text; it must be a whole number from 1 to 65536"},
        BadFile{"UnevenNodes", small_with("nodes = 3\n"),
                "w/workload.toml:6: 4 ranks cannot be spread evenly over 3 nodes; ranks must be a multiple of nodes in "
                "[config.small]"},
        BadFile{"FractionalParameter", small_with("parameters = { rows = 1.5 }\n"),
                "w/workload.toml:6: config.small.parameters.rows is a number with a fraction; it must be a whole "
                "number: what NAME=VALUE can carry"},
        BadFile{"NoPurpose", concat(kHead, "[config.small]\nranks = 2\n"),
                "w/workload.toml:4: [config.small] lacks purpose; add it as \"verify\", \"full\" or \"twin\""},
        BadFile{"UnknownPurpose", concat(kHead, "[config.small]\npurpose = \"fast\"\n"),
                "w/workload.toml:5: config.small.purpose is fast; it must be verify, full or twin"},
        BadFile{"PublishedInPart", small_with("published = { host_ms = 2 }\n"),
                "w/workload.toml:6: [config.small.published] lacks best_ms; add it as a number from 1e-09 to 1e+09"},
        BadFile{"ScaleWithoutTwin", small_with("scale = { compute = 2 }\n"),
                "w/workload.toml:6: config.small.scale is only for purpose = \"twin\"; remove it"},
        BadFile{"FileOutside", concat("files = [\"../x.cu\"]\n", small_with("")),
                "w/workload.toml:1: files is ../x.cu; it must be a list of one or more file names, each in quotes and "
                "inside the folder"}),
    [](const ::testing::TestParamInfo<BadFile>& bad) { return bad.param.name; });

TEST(Workload, TwinNeedsScaleAndAFullConfiguration) {
  EXPECT_EQ(message_after_head("[config.t]\npurpose = \"twin\"\n"),
            "w/workload.toml:4: [config.t] lacks twin_of; add it as the name of a full configuration");
  EXPECT_EQ(message_after_head("[config.t]\npurpose = \"twin\"\ntwin_of = \"f\"\n"),
            "w/workload.toml:4: [config.t] lacks scale; add it as a table [config.t.scale]");
  EXPECT_EQ(message_after_head("[config.t]\npurpose = \"twin\"\ntwin_of = \"f\"\nscale = { compute = 2, memory = 2, "
                               "multiprocessors = 1 }\n"),
            "w/workload.toml:7: [config.t.scale] lacks link; add it as a number from 1e-06 to 1e+09");
  EXPECT_EQ(
      message(concat(kHead, "[config.big]\npurpose = \"full\"\n[config.t]\npurpose = \"twin\"\ntwin_of = \"bag\"\n",
                     "scale = { compute = 2, memory = 2, link = 2, multiprocessors = 1 }\n")),
      "w/workload.toml:8: config.t.twin_of is bag; it must be a configuration with purpose = \"full\"; did you "
      "mean big?");
}

TEST(Workload, SyntaxErrorsHaveLineAndColumn) {
  EXPECT_TRUE(message("summary = \n").starts_with("w/workload.toml:1:")) << message("summary = \n");
}

TEST(Workload, ArgumentsKeepTheirOrderAndTheirParameters) {
  Configuration configuration;
  add_arguments({"-v", "rows=64", "input.txt", "x=1.5", "--size=4"}, configuration);
  EXPECT_EQ(configuration.parameters, (std::vector<std::pair<std::string, int64_t>>{{"rows", 64}}));
  configuration.parameters[0].second = 128;
  EXPECT_EQ(program_arguments(configuration),
            (std::vector<std::string>{"-v", "rows=128", "input.txt", "x=1.5", "--size=4"}));
}

TEST(Workload, ArgumentSetsAParameterOfTheWorkload) {
  Configuration configuration;
  configuration.parameters = {{"hidden", 8}, {"rows", 4}};
  add_arguments({"rows=16", "fast"}, configuration);
  EXPECT_EQ(program_arguments(configuration), (std::vector<std::string>{"fast", "hidden=8", "rows=16"}));
}

}  // namespace
}  // namespace cuco::evaluate
