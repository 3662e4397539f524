#include <gtest/gtest.h>

#include <sstream>

#include "cli/fixtures.h"

namespace cuco::cli {
namespace {

TEST(CommandLine, NothingGivenNamesTheCommands) {
  Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "cuco: error: no command given; one of: analyze, space, simulate, trace, init, evaluate, transform, "
            "optimize, resume, replay, fidelity, runs, "
            "show, diff, export, lessons, doctor, profiles, calibrate (see 'cuco --help')\n");
}

TEST(CommandLine, UnknownCommandSuggestsTheClosest) {
  Outcome outcome = run({"analyse", "x.cu"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(holds(outcome.err, "cuco: error: unknown command 'analyse'; did you mean 'analyze'?")) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST(CommandLine, UnknownOptionSuggestsTheClosest) {
  Outcome outcome = run({"profiles", "--jsno"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(
      outcome.err,
      "cuco profiles: error: unexpected argument '--jsno'; did you mean '--json'? (see 'cuco profiles --help')\n");
}

// The missing --profile is only a consequence.
TEST(CommandLine, MisspeltRequiredOptionIsNamedBeforeItsAbsence) {
  Outcome outcome = run({"space", "x.cu", "--profle", "h200-mps4"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(holds(outcome.err, "unexpected argument '--profle'; did you mean '--profile'?")) << outcome.err;
}

TEST(CommandLine, EveryCommandHasHelpWithExamples) {
  for (const char* command : {"analyze", "space", "doctor", "profiles"}) {
    Outcome outcome = run({command, "--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(holds(outcome.out, std::string("Examples:\n  cuco ") + command)) << outcome.out;
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(CommandLine, VersionIsPrinted) { EXPECT_TRUE(run({"--version"}).out.starts_with("cuco 0.")); }

class FullDisk : public std::streambuf {
  int overflow(int) override { return traits_type::eof(); }
};

TEST(CommandLine, OutputThatCannotBeWrittenIsAnError) {
  FullDisk disk;
  Outcome outcome = run({"profiles"}, CUCO_SOURCE_DIR, &disk);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(outcome.err.starts_with("cuco: error: standard output cannot be written: ")) << outcome.err;
}

TEST(CommandLine, BrokenInstallationIsToldByCommandsThatNeedIt) {
  cuco::testing::FakeProcessRunner processes;
  cuco::testing::FakeEnvironment environment;
  std::ostringstream out, err;
  Context context{out, err, false, processes, environment, Error{"share: not there"}};
  EXPECT_EQ(run_command_line({"profiles"}, context), 2);
  EXPECT_EQ(err.str(), "share: not there\n");
  EXPECT_EQ(run_command_line({"doctor"}, context), 0);
}

}  // namespace
}  // namespace cuco::cli
