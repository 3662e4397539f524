#include "vcluster/capture.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "cuco/element.h"
#include "testing/scratch_folder.h"

namespace cuco::vcluster {
namespace {

CapturedOutput example() {
  CapturedOutput output;
  output.rank = 3;
  output.iteration = 7;
  output.buffer = 1;
  output.element = static_cast<uint32_t>(Element::Int32);
  output.changed_after_return = true;
  output.absolute = 0.5;
  output.relative = 1e-3;
  output.count = 2;
  output.name = "sum of rows";
  output.bytes = "abcdefgh";
  return output;
}

TEST(Capture, RecordsReadBackAsTheyWere) {
  std::string bytes = to_record(example()) + to_record(CapturedOutput{});
  Result<Capture> capture = parse_capture(bytes, "x");
  ASSERT_TRUE(capture) << capture.error().message;
  ASSERT_EQ(capture->size(), 2u);
  EXPECT_EQ(to_record(capture->at(0)), to_record(example()));
  EXPECT_EQ(capture->at(0).name, "sum of rows");
  EXPECT_EQ(capture->at(0).bytes, "abcdefgh");
  EXPECT_TRUE(capture->at(0).changed_after_return);
}

TEST(Capture, PartsKnowWhereTheyBegin) {
  CapturedOutput part = example();
  part.is_part = part.is_scratch = true;
  part.first = uint64_t{1} << 40;
  Result<Capture> capture = parse_capture(to_record(part) + to_record(example()), "x");
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ(capture->at(0).first, part.first);
  EXPECT_TRUE(capture->at(0).is_part && capture->at(0).is_scratch);
  EXPECT_EQ(capture->at(0).bytes, "abcdefgh");
  EXPECT_FALSE(capture->at(1).is_part);
}

TEST(Capture, CutFileNamesTheByte) {
  std::string whole = to_record(example());
  for (size_t length = 1; length < whole.size(); length++)
    EXPECT_FALSE(parse_capture(whole.substr(0, length), "x")) << length;
  EXPECT_EQ(parse_capture(whole + "tail", "run.capture").error().message,
            "run.capture: no record of an output at byte 71; the run that wrote it was cut off");
}

TEST(Capture, OutputsMayBeLargerThanOtherFiles) {
  testing::ScratchFolder scratch;
  CapturedOutput output = example();
  output.bytes.assign(kFileBytesMax + 8, 'x');
  output.count = output.bytes.size() / 4;
  ASSERT_TRUE(write_file(scratch.path() / "outputs", to_record(output)).ok());
  Result<Capture> capture = read_capture(scratch.path() / "outputs");
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ(capture->at(0).bytes.size(), kFileBytesMax + 8);
}

TEST(Capture, HugeCountIsNoRecord) {
  CapturedOutput output = example();
  output.count = uint64_t{1} << 60;
  EXPECT_FALSE(parse_capture(to_record(output), "x"));
}

}  // namespace
}  // namespace cuco::vcluster
