#include "model/profile.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "model/profile_toml.h"
#include "testing/scratch_folder.h"

namespace cuco::model {
namespace {

// 1 description, 2 [gpu], 3-16 its fields, 17 [latencies], 18-23, 24 [topology], 25-28, 29 [topology.inside], 30-33
constexpr const char* kGood = R"(description = "two GPUs"
[gpu]
name = "GPU"
architecture = "sm_90"
sm_count = 132
clock_ghz = 1.98
fp32_tflops = 67
tensor_bf16_tflops = 989
hbm_gb_per_s = 3350
hbm_gib = 80
l2_mib = 50
l2_gb_per_s = 5500
shared_kib_per_sm = 228
registers_per_sm = 65536
threads_per_sm_max = 2048
blocks_per_sm_max = 32
[latencies]
launch_us = 5.5
kernel_gap_us = 1.5
stream_sync_us = 2
event_us = 1
collective_us = 12
flag_hop_us = 0.85
[topology]
nodes = 1
ranks_per_node = 2
ranks_per_gpu = 1
multimem = true
[topology.inside]
kind = "nvlink"
latency_us = 1
gb_per_s = 450
messages_m_per_s = 100
)";

constexpr const char* kBetween = R"([topology.between]
kind = "roce"
latency_us = 5
gb_per_s = 12.5
messages_m_per_s = 10
)";

// The good file with one line changed; an empty replacement removes it.
std::string with(const std::string& line, const std::string& replacement) {
  std::string changed = replace_all(kGood, line + "\n", replacement.empty() ? "" : replacement + "\n");
  EXPECT_NE(changed, kGood) << line;
  return changed;
}

std::string error_of(const std::string& text) {
  Result<HardwareProfile> profile = parse_profile("p", "p.toml", text);
  return profile ? "no error" : profile.error().message;
}

TEST(Profile, EveryFieldIsRead) {
  Result<HardwareProfile> profile = parse_profile("p", "p.toml", kGood);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->name, "p");
  EXPECT_EQ(profile->description, "two GPUs");
  EXPECT_EQ(profile->gpu.architecture, "sm_90");
  EXPECT_EQ(profile->gpu.blocks_per_sm_max, 32u);
  EXPECT_EQ(profile->gpu.hbm_gb_per_s, 3350);
  EXPECT_EQ(profile->latencies.flag_hop_us, 0.85);
  EXPECT_TRUE(profile->topology.multimem);
  EXPECT_EQ(profile->topology.inside->messages_m_per_s, 100);
  EXPECT_FALSE(profile->topology.between.has_value());
}

constexpr const char* kCurveText = R"([[collectives]]
name = "ncclAllGather"
windows = false
bytes = [4096, 65536]
us = [9.5, 20]
)";

TEST(Profile, OptionalKeysAreReadAndMayBeAbsent) {
  Result<HardwareProfile> plain = parse_profile("p", "p.toml", kGood);
  ASSERT_TRUE(plain.ok());
  EXPECT_FALSE(block_rate(*plain->topology.inside, 1, 512).has_value());
  EXPECT_FALSE(plain->gpu.efficiency || plain->latencies.launch_call_us || plain->topology.inside->block_gb_per_s);
  EXPECT_TRUE(plain->collectives.empty());
  std::string text = with("blocks_per_sm_max = 32", "blocks_per_sm_max = 32\ntensor_efficiency = 0.5");
  Result<HardwareProfile> measured = parse_profile("p", "p.toml", text + "block_gb_per_s = 17\n" + kCurveText);
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_EQ(measured->gpu.tensor_efficiency, 0.5);
  EXPECT_EQ(measured->topology.inside->block_gb_per_s, 17);
  EXPECT_EQ(block_rate(*measured->topology.inside, 3, 32), 17);
  ASSERT_EQ(measured->collectives.size(), 1u);
  EXPECT_EQ(measured->collectives[0].us, (std::vector<double>{9.5, 20}));
}

TEST(Profile, HostIsATableOfItsOwnThatMayBeAbsent) {
  EXPECT_EQ(parse_profile("p", "p.toml", kGood)->host.gb_per_s, 10);
  std::string host = "[host]\ngop_per_s = 4\ngflop_per_s = 8\ngb_per_s = 20\npcie_gb_per_s = 50\n";
  Result<HardwareProfile> profile = parse_profile("p", "p.toml", kGood + host);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->host.gflop_per_s, 8);
  EXPECT_EQ(parse_profile("p", "p.toml", to_toml(*profile))->host.pcie_gb_per_s, 50);
  EXPECT_EQ(error_of(kGood + replace_all(host, "gb_per_s = 20\n", "gb_per_s = 0\n")),
            "p.toml:37: host.gb_per_s is 0; it must be a number from 1e-09 to 1e+06");
}

TEST(Profile, TextOfAProfileReadsBackTheSame) {
  std::string text = with("blocks_per_sm_max = 32", "blocks_per_sm_max = 32\nefficiency = 0.7") + kCurveText;
  Result<HardwareProfile> profile = parse_profile("p", "p.toml", text);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  std::string written = to_toml(*profile);
  Result<HardwareProfile> again = parse_profile("p", "p.toml", written);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->gpu.efficiency, 0.7);
  EXPECT_EQ(again->collectives[0].bytes, (std::vector<double>{4096, 65536}));
  EXPECT_EQ(to_toml(*again), written);
}

TEST(Profile, CurveMustRiseAndHaveATimeForEverySize) {
  auto curve_with = [](const char* line, const char* replacement) {
    return std::string(kGood) + replace_all(kCurveText, line, replacement);
  };
  EXPECT_EQ(
      error_of(curve_with("[9.5, 20]", "[9.5, 9]")),
      "p.toml:38: collectives.us is wrong at its element 2; it must be a list of rising numbers from 1e-06 to 1e+07");
  EXPECT_EQ(error_of(curve_with("[9.5, 20]", "[9.5]")),
            "p.toml:38: collectives.us is 1 number; it must be as long as bytes, which has 2");
  EXPECT_EQ(error_of(curve_with("bytes = [4096, 65536]\n", "")),
            "p.toml:34: [collectives] lacks bytes; add it as a list of rising numbers from 1e-06 to 1e+15");
}

TEST(Profile, BlocksOfALaunchShareWhatTheyReach) {
  std::string text = std::string(kGood) + "blocks = [1, 4, 8]\nblocks_gb_per_s = [40, 100, 120]\n";
  Result<HardwareProfile> profile = parse_profile("p", "p.toml", text);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  const Link& link = *profile->topology.inside;
  EXPECT_EQ(block_rate(link, 1, 512), 40);
  EXPECT_EQ(block_rate(link, 1, 1024), 40);
  EXPECT_EQ(block_rate(link, 1, 32), 2.5) << "few threads have few accesses under way";
  EXPECT_EQ(block_rate(link, 6, 512), 110.0 / 6);
  EXPECT_EQ(block_rate(link, 6, 256), 110.0 / 6) << "what the blocks share is less than what each could have";
  EXPECT_EQ(block_rate(link, 16, 512), 120.0 / 16);
  EXPECT_EQ(to_toml(*parse_profile("p", "p.toml", to_toml(*profile))), to_toml(*profile));
}

TEST(Profile, BlockRatesAreWholePairs) {
  EXPECT_EQ(error_of(std::string(kGood) + "blocks = [1, 4]\nblocks_gb_per_s = [40]\n"),
            "p.toml:35: topology.inside.blocks_gb_per_s is 1 number; it must be as long as blocks, which has 2");
  EXPECT_EQ(
      error_of(std::string(kGood) + "blocks = [1, 4]\n"),
      "p.toml:29: [topology.inside] lacks blocks_gb_per_s; add it as a list of rising numbers from 1e-09 to 1e+06");
}

TEST(Profile, UnknownKeyNamesTheClosest) {
  EXPECT_EQ(error_of(with("sm_count = 132", "sm_cuont = 132")),
            "p.toml:5: unknown key sm_cuont in [gpu]; did you mean sm_count?");
}

TEST(Profile, UnknownKeyWithoutACloseOneListsAll) {
  EXPECT_EQ(
      error_of(std::string(kGood) + "zebra = 1\n"),
      "p.toml:34: unknown key zebra in [topology.inside]; known keys: kind, latency_us, gb_per_s, messages_m_per_s, "
      "block_gb_per_s, blocks, blocks_gb_per_s");
}

TEST(Profile, UnknownTableIsAnUnknownKeyOfTheFile) {
  EXPECT_EQ(error_of(std::string(kGood) + "[latency]\n"),
            "p.toml:34: unknown key latency in the file; did you mean latencies?");
}

TEST(Profile, MissingKeySaysWhatToAdd) {
  EXPECT_EQ(error_of(with("clock_ghz = 1.98", "")),
            "p.toml:2: [gpu] lacks clock_ghz; add it as a number from 1e-09 to 100");
  EXPECT_EQ(error_of(with("description = \"two GPUs\"", "")),
            "p.toml:1: the file lacks description; add it as one line of text in quotes");
}

TEST(Profile, EmptyFileLacksItsDescription) {
  EXPECT_EQ(error_of(""), "p.toml:1: the file lacks description; add it as one line of text in quotes");
}

TEST(Profile, MissingTableSaysWhatToAdd) {
  EXPECT_EQ(error_of("description = \"d\"\n"), "p.toml:1: the file lacks gpu; add it as a table [gpu]");
}

TEST(Profile, WrongTypeIsNamed) {
  EXPECT_EQ(error_of(with("clock_ghz = 1.98", "clock_ghz = \"fast\"")),
            "p.toml:6: gpu.clock_ghz is text; it must be a number from 1e-09 to 100");
  EXPECT_EQ(error_of(with("sm_count = 132", "sm_count = 132.5")),
            "p.toml:5: gpu.sm_count is a number with a fraction; it must be a whole number from 1 to 100000");
  EXPECT_EQ(error_of(with("multimem = true", "multimem = 1")),
            "p.toml:28: topology.multimem is a whole number; it must be true or false");
  EXPECT_EQ(error_of(with("name = \"GPU\"", "name = [1]")),
            "p.toml:3: gpu.name is a list; it must be one line of text in quotes");
}

TEST(Profile, NumbersMustBeInTheRangeOfTheirKind) {
  auto says = [](const char* line, const char* instead, const char* message) {
    EXPECT_EQ(error_of(with(line, instead)), message);
  };
  says("ranks_per_node = 2", "ranks_per_node = 0",
       "p.toml:26: topology.ranks_per_node is 0; it must be a whole number from 1 to 1048576");
  says("nodes = 1", "nodes = -2", "p.toml:25: topology.nodes is -2; it must be a whole number from 1 to 1048576");
  says("nodes = 1", "nodes = 5000000000",
       "p.toml:25: topology.nodes is 5000000000; it must be a whole number from 1 to 1048576");
  says("nodes = 1", "nodes = 1e30",
       "p.toml:25: topology.nodes is a number with a fraction; it must be a whole number from 1 to 1048576");
  says("launch_us = 5.5", "launch_us = -0.5",
       "p.toml:18: latencies.launch_us is -0.5; it must be a number from 1e-06 to 1e+07");
  says("launch_us = 5.5", "launch_us = nan",
       "p.toml:18: latencies.launch_us is nan; it must be a number from 1e-06 to 1e+07");
  says("gb_per_s = 450", "gb_per_s = 0",
       "p.toml:32: topology.inside.gb_per_s is 0; it must be a number from 1e-09 to 1e+06");
  says("fp32_tflops = 67", "fp32_tflops = 1e308",
       "p.toml:7: gpu.fp32_tflops is 1e+308; it must be a number from 1e-09 to 1e+06");
  EXPECT_EQ(error_of(with("fp32_tflops = 67", "fp32_tflops = 1e6")), "no error");
  EXPECT_EQ(error_of(with("launch_us = 5.5", "launch_us = 1e-6")), "no error");
}

TEST(Profile, SeveralNodesNeedALinkBetweenThem) {
  std::string two_nodes = with("nodes = 1", "nodes = 2");
  EXPECT_EQ(
      error_of(two_nodes),
      "p.toml:24: [topology] has several nodes but no link for them; add [topology.between] with kind, latency_us, "
      "gb_per_s and messages_m_per_s");
  EXPECT_EQ(error_of(two_nodes + kBetween), "no error");
}

TEST(Profile, OneNodeHasNoLinkBetweenNodes) {
  EXPECT_EQ(error_of(std::string(kGood) + kBetween),
            "p.toml:34: [topology.between] joins nothing: there are not several nodes; remove it");
}

TEST(Profile, LinkMustBeATable) {
  std::string text = with("multimem = true", "multimem = true\nbetween = 3");
  EXPECT_EQ(error_of(replace_all(text, "nodes = 1\n", "nodes = 2\n")),
            "p.toml:29: topology.between is a whole number; it must be a table [topology.between]");
}

TEST(Profile, LinkKindIsOneOfTheKnown) {
  EXPECT_EQ(
      error_of(with("kind = \"nvlink\"", "kind = \"string\"")),
      "p.toml:30: topology.inside.kind is string; it must be one of nvlink, pcie, hbm, roce, infiniband, emulated");
}

TEST(Profile, RanksThatShareAGpuFillTheNode) {
  EXPECT_EQ(error_of(with("ranks_per_gpu = 1", "ranks_per_gpu = 3")),
            "p.toml:27: topology.ranks_per_gpu is 3; it must be a divisor of ranks_per_node, which is 2");
}

TEST(Profile, RankCountHasABound) {
  EXPECT_EQ(error_of(with("nodes = 1", "nodes = 1000000") + kBetween),
            "p.toml:25: nodes x ranks_per_node is above 1048576; it must be a cluster that exists");
}

TEST(Profile, ArchitectureIsAnSmNumber) {
  EXPECT_EQ(error_of(with("architecture = \"sm_90\"", "architecture = \"hopper\"")),
            "p.toml:4: gpu.architecture is hopper; it must be an sm_ number such as sm_90");
}

TEST(Profile, DuplicateKeyIsASyntaxErrorWithItsPlace) {
  std::string message = error_of(with("nodes = 1", "nodes = 1\nnodes = 2"));
  EXPECT_TRUE(message.starts_with("p.toml:26:")) << message;
  EXPECT_NE(message.find("each key once"), std::string::npos) << message;
}

TEST(Profile, TextThatIsNotTomlHasItsPlace) {
  EXPECT_TRUE(error_of("description = \"d\"\n???\n").starts_with("p.toml:2:1: not valid TOML: "));
}

TEST(Profile, UnknownNameSuggestsTheClosest) {
  testing::ScratchFolder scratch;
  ASSERT_TRUE(write_file(scratch.path() / "small.toml", kGood).ok());
  EXPECT_EQ(load_profile(scratch.path(), "smal").error().message,
            "smal: no such profile; did you mean small? there are small; one of your own is given by its path");
}

TEST(Profile, IsLoadedByNameOrByPath) {
  testing::ScratchFolder scratch;
  std::filesystem::path path = scratch.path() / "small.toml";
  ASSERT_TRUE(write_file(path, kGood).ok());
  EXPECT_EQ(load_profile(scratch.path(), "small")->name, "small");
  EXPECT_EQ(load_profile("/nowhere", path.string())->name, "small");
}

std::filesystem::path shipped() { return std::filesystem::path(CUCO_SOURCE_DIR) / "profiles"; }

TEST(ShippedProfiles, AllLoad) {
  Result<std::vector<std::string>> names = list_profiles(shipped());
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(*names,
            (std::vector<std::string>{"a100-2node-roce", "a100x4-nvlink", "h100x8-nvlink", "h200-mps2", "h200-mps4"}));
  for (const std::string& name : *names) {
    Result<HardwareProfile> profile = load_profile(shipped(), name);
    EXPECT_TRUE(profile.ok()) << profile.error().message;
  }
}

// How many ranks a profile has is its subject, not something measured.
bool needs_source(const std::string& line) {
  size_t equals = line.find("= ");
  bool number = equals != std::string::npos && std::isdigit(static_cast<unsigned char>(line[equals + 2]));
  return number && !line.starts_with("nodes") && !line.starts_with("ranks_per_");
}

TEST(ShippedProfiles, EveryMeasureNamesItsSource) {
  std::vector<std::string> names = *list_profiles(shipped());
  for (const std::string& name : names) {
    std::string text = *read_file(shipped() / (name + ".toml"));
    for (const std::string& line : split(text, '\n')) {
      if (!needs_source(line)) continue;
      EXPECT_NE(line.find(" # "), std::string::npos) << name << ": " << line;
    }
  }
}

}  // namespace
}  // namespace cuco::model
