#include "gpu/calibration/measurements.h"

#include <gtest/gtest.h>

namespace cuco::gpu {
namespace {

std::string parse_error(const std::string& text) {
  Result<Measurements> read = parse_measurements("raw.txt", text);
  return read ? "no error" : read.error().message;
}

TEST(Measurements, AreReadFromAmongOtherLines) {
  Result<Measurements> read = parse_measurements("raw.txt",
                                                 "machine gpu NVIDIA H200\n"
                                                 "NCCL version 2.30.7\n"
                                                 "measure lsa_store all 8 4096 20 19 22 11\n"
                                                 "measure lsa_store all 1 4096 50 49 52 11\n"
                                                 "measure lsa_store alone 1 4096 40 39 42 11\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read->text("gpu"), "NVIDIA H200");
  std::vector<Measurement> curve = read->curve("lsa_store");
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_EQ(curve[0].size, 1);
  EXPECT_EQ(curve[0].median_us, 50);
  EXPECT_EQ(read->find("lsa_store", 1, true)->most_us, 42);
  EXPECT_EQ(read->get("fp32").error().message,
            "there is no measurement fp32 with all ranks; a measuring program did not end");
}

TEST(Measurements, ThatMakeNoSenseAreRefusedWithTheirLine) {
  EXPECT_EQ(parse_error("\nmeasure flag_hop all 0 0 0.8 -0.1 0.9 11\n"),
            "raw.txt:2: flag_hop takes -0.1 us; a time must be above 0");
  EXPECT_EQ(parse_error("measure flag_hop all 0 0 0.8 0.9 1.0 11\n"),
            "raw.txt:1: flag_hop has a median of 0.8 us outside of its spread, 0.9 to 1");
  EXPECT_EQ(parse_error("measure flag_hop all 0 0 0.8 0.7 1.0 0\n"),
            "raw.txt:1: flag_hop has a negative size or work, or no samples");
}

TEST(Measurements, LinesCutShortAreRefused) {
  EXPECT_EQ(parse_error("measure flag_hop all 0 0 0.8\n"),
            "raw.txt:1: 'measure flag_hop all 0 0 0.8' is no measurement; it must be: measure NAME all|alone SIZE WORK "
            "MEDIAN LEAST MOST COUNT");
  EXPECT_NE(parse_error("measure flag_hop some 0 0 0.8 0.7 1 11\n").find("is no measurement"), std::string::npos);
  EXPECT_NE(parse_error("measure flag_hop all 0 0 nan 0.7 1 11\n"), "no error");
}

TEST(Measurements, TextWithoutAnyIsRefused) {
  EXPECT_EQ(parse_error("mpirun: not found\n"),
            "raw.txt: no measurements; expected lines 'measure NAME all|alone ...'");
}

}  // namespace
}  // namespace cuco::gpu
