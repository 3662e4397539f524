// Profiles that say they were measured are what cuco calibrate makes of the recordings beside this file.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/process.h"
#include "base/scratch_folder.h"
#include "base/text.h"

namespace cuco {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = CUCO_SOURCE_DIR;

ProcessOutput calibrate(const fs::path& recording, const fs::path& profile) {
  RealProcessRunner processes;
  Result<ProcessOutput> output =
      processes.run({CUCO_BINARY, "calibrate", "--from", recording.string(), "-o", profile.string()}, 300'000);
  EXPECT_TRUE(output) << output.error().message;
  return output ? *output : ProcessOutput{-1, ""};
}

fs::path recording(const std::string& name) { return kSource / "tests/calibrate/recordings" / (name + ".txt"); }

class CalibratedProfile : public ::testing::TestWithParam<const char*> {};

TEST_P(CalibratedProfile, IsWhatItsRecordingGives) {
  ScratchFolder scratch = ScratchFolder::make("cuco-calibrated").value();
  std::string file = concat(GetParam(), ".toml");
  ProcessOutput output = calibrate(recording(GetParam()), scratch.path() / file);
  ASSERT_EQ(output.exit_code, 0) << output.text;
  EXPECT_EQ(*read_file(scratch.path() / file), *read_file(kSource / "profiles" / file));
}

INSTANTIATE_TEST_SUITE_P(Shipped, CalibratedProfile, ::testing::Values("h200-mps2", "h200-mps4"));

TEST(CalibrateCommand, LeavesAnOldProfileAloneWhenMeasurementsMakeNoSense) {
  ScratchFolder scratch = ScratchFolder::make("cuco-calibrated").value();
  fs::path bad = scratch.path() / "bad.txt", profile = scratch.path() / "mine.toml";
  std::string text = *read_file(recording("h200-mps4"));
  ASSERT_TRUE(write_file(bad, text.substr(0, text.find("measure hbm_copy"))));
  ASSERT_EQ(calibrate(recording("h200-mps4"), profile).exit_code, 0);
  std::string before = *read_file(profile);
  ProcessOutput output = calibrate(bad, profile);
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_NE(output.text.find("a measuring program did not end"), std::string::npos) << output.text;
  EXPECT_EQ(*read_file(profile), before);
}

}  // namespace
}  // namespace cuco
