#include "evaluate/workload.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "evaluate/workload_build.h"

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

constexpr const char* kSizes = R"([parameters]
rows = 4096
cols = 8
[config.small]
ranks = 2
parameters = { rows = 64 }
[config.large]
proof = [{ rows = 64 }, { cols = 4, rows = 96 }]
)";

TEST(Workload, ConfigurationsKeepTheFilesOrderAndInherit) {
  Result<Workload> workload = parse(kSizes);
  ASSERT_TRUE(workload.ok()) << workload.error().message;
  ASSERT_EQ(workload->configurations.size(), 2u);
  const Configuration& small = workload->configurations[0];
  EXPECT_EQ(small.name, "small");
  EXPECT_EQ(small.rank_count, 2u);
  EXPECT_EQ(small.parameters, (std::vector<std::pair<std::string, int64_t>>{{"cols", 8}, {"rows", 64}}));
  EXPECT_EQ(workload->configurations[1].rank_count, 4u);
  EXPECT_EQ(workload->configurations[1].proofs, (std::vector<std::string>{"rows=64", "cols=4 rows=96"}));
  EXPECT_EQ(workload->files, std::vector<std::filesystem::path>{"w/program.cu"});
}

TEST(Workload, UnknownProfileIsNamedAtItsConfiguration) {
  Result<Workload> workload = parse("[config.small]\nprofile = \"a100x4-nvlnk\"\n");
  Result<model::HardwareProfile> profile = profile_of(workload->configurations[0], kProfiles);
  ASSERT_FALSE(profile.ok());
  EXPECT_TRUE(profile.error().message.starts_with(
      "w/workload.toml:4: profile a100x4-nvlnk: no such profile; did you mean a100x4-nvlink?"))
      << profile.error().message;
}

TEST(Workload, MoreNodesThanTheProfileJoinsAreRefused) {
  Result<Workload> workload = parse("[config.small]\nnodes = 2\n");
  EXPECT_EQ(profile_of(workload->configurations[0], kProfiles).error().message,
            "w/workload.toml:4: 2 nodes, but profile a100x4-nvlink has only one");
}

TEST(Workload, DemoNamesAConfiguration) {
  EXPECT_EQ(parse_workload("w", concat("demo = \"small\"\n", kHead, kSizes))->demo, "small");
  EXPECT_EQ(message(concat("demo = \"tiny\"\n", kHead, kSizes)),
            "w/workload.toml:1: demo is tiny; it must be the name of a configuration: small, large");
}

TEST(Workload, UnknownConfigurationListsThoseThereAre) {
  EXPECT_EQ(find_configuration(*parse(kSizes), "smal").error().message,
            "smal: no such configuration of w; did you mean small? there are small, large");
}

struct BadFile {
  const char* name;
  std::string text;
  std::string message;
};

std::string small_with(const std::string& lines) { return concat(kHead, "[config.small]\n", lines); }

class BadWorkload : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadWorkload, IsRefusedWithItsPlace) { EXPECT_EQ(message(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    Workload, BadWorkload,
    ::testing::Values(
        BadFile{"NoSummary", "ranks = 2\n",
                "w/workload.toml:1: the file lacks summary; add it as one line of text in quotes"},
        BadFile{"NoRanks", "summary = \"s\"\n[config.a]\n",
                "w/workload.toml:1: the file lacks ranks; add it as a whole number above 0"},
        BadFile{"NoConfiguration", kHead,
                "w/workload.toml:1: the file lacks config; add it as one table [config.NAME] or more"},
        BadFile{"UnknownKey", small_with("rank = 2\n"),
                "w/workload.toml:5: unknown key rank in [config.small]; did you mean ranks?"},
        BadFile{"ZeroRanks", small_with("ranks = 0\n"),
                "w/workload.toml:5: config.small.ranks is 0; it must be a whole number from 1 to 65536"},
        BadFile{"RanksAsText", small_with("ranks = \"two\"\n"),
                "w/workload.toml:5: config.small.ranks is text; it must be a whole number from 1 to 65536"},
        BadFile{"UnevenNodes", small_with("nodes = 3\n"),
                "w/workload.toml:5: 4 ranks cannot be spread evenly over 3 nodes; ranks must be a multiple of nodes in "
                "[config.small]"},
        BadFile{"FractionalParameter", small_with("parameters = { rows = 1.5 }\n"),
                "w/workload.toml:5: config.small.parameters.rows is a number with a fraction; it must be a whole "
                "number: what NAME=VALUE can carry"},
        BadFile{"ProofOfNoParameter", small_with("parameters = { rows = 64 }\nproof = [{ row = 8 }]\n"),
                "w/workload.toml:6: config.small.proof is row; it must be a value of a parameter of the configuration"},
        BadFile{"ProofAsNumber", small_with("proof = 8\n"),
                "w/workload.toml:5: config.small.proof is a whole number; it must be a list of tables, each with other "
                "values of the program's parameters"},
        BadFile{"ProofOfZero", small_with("parameters = { rows = 64 }\nproof = [{ rows = 0 }]\n"),
                "w/workload.toml:6: config.small.proof is rows; it must be a whole number above 0 for each of its "
                "parameters"},
        BadFile{"PublishedInPart", small_with("published = { host_ms = 2 }\n"),
                "w/workload.toml:5: [config.small.published] lacks best_ms; add it as a number from 1e-09 to 1e+09"},
        BadFile{"ArgumentsAsNumber", small_with("arguments = 4\n"),
                "w/workload.toml:5: config.small.arguments is a whole number; it must be a list of texts, each in "
                "quotes"},
        BadFile{"UnknownBuildKey", concat(kHead, "[build]\ninclude_folder = [\"x\"]\n[config.a]\n"),
                "w/workload.toml:5: unknown key include_folder in [build]; did you mean include_folders?"},
        BadFile{"FoldersAsText", concat(kHead, "[build]\ninclude_folders = \"x\"\n[config.a]\n"),
                "w/workload.toml:5: build.include_folders is text; it must be a list of texts, each in quotes"},
        BadFile{"FlagsOfNoFile", concat(kHead, "[build.of.\"y.cu\"]\nstandard = \"c++20\"\n[config.a]\n"),
                "w/workload.toml:4: [build.of] has y.cu, which is none of the workload's files"},
        BadFile{"FileOutside", concat("files = [\"../x.cu\"]\n", small_with("")),
                "w/workload.toml:1: files is ../x.cu; it must be a list of one or more file names, each in quotes and "
                "inside the folder"}),
    [](const ::testing::TestParamInfo<BadFile>& bad) { return bad.param.name; });

TEST(Workload, ArgumentsAreReadInOrderAndAConfigurationHasItsOwn) {
  Result<Workload> workload = parse_workload(
      "w", concat("arguments = [\"-n\", \"8\", \"rows=64\"]\n", kHead, "[config.a]\n[config.b]\narguments = [\"-q\"]\n"));
  ASSERT_TRUE(workload.ok()) << workload.error().message;
  EXPECT_EQ(program_arguments(workload->configurations[0]), (std::vector<std::string>{"-n", "8", "rows=64"}));
  EXPECT_EQ(workload->configurations[0].parameters, (std::vector<std::pair<std::string, int64_t>>{{"rows", 64}}));
  EXPECT_EQ(program_arguments(workload->configurations[1]), std::vector<std::string>{"-q"});
}

TEST(Workload, BuildTablesSayWhatTheyAreReadFrom) {
  std::filesystem::path folder = std::filesystem::absolute("w");
  model::BuildFlags flags;
  flags.include_folders = {(folder / "include").string(), "/opt/other"};
  flags.definitions = {"NAME=\"x\""}, flags.c_standard = "gnu99", flags.libraries = {"m"};
  model::BuildFlags own = flags;
  own.undefinitions = {"DEBUG"};
  flags.of_files = {flags, own};
  std::string text = concat("files = [\"a.c\", \"b.cu\"]\n", kHead, build_tables(flags, {"a.c", "b.cu"}, folder),
                            "[config.a]\n");
  EXPECT_NE(text.find("include_folders = [\"include\", \"/opt/other\"]\n"), text.npos) << text;
  Result<Workload> workload = parse_workload("w", text);
  ASSERT_TRUE(workload.ok()) << workload.error().message << text;
  EXPECT_EQ(workload->flags, flags);
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

TEST(Workload, AParameterWithTwoValuesIsRefused) {
  EXPECT_EQ(check_arguments({"m=128", "-v", "m=256"}).error().message, "--: m is given as 128 and as 256");
  EXPECT_TRUE(check_arguments({"m=128", "n=256", "m=128", "-v", "-v"}));
}

}  // namespace
}  // namespace cuco::evaluate
