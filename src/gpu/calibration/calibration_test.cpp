#include "gpu/calibration/calibration.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"

namespace cuco::gpu {
namespace {

// Numbers that are easy to follow: kernels of 20,000 clocks take 10 us, gaps between them 2.
constexpr const char* kRaw = R"(machine date 2026-11-15
machine driver 580.1
machine executor one-gpu
machine variables NCCL_MAX_CTAS=8
machine gpu NVIDIA H200
machine architecture sm_90
machine cuda_runtime 13000
machine nccl 23007
machine ranks 4
machine ranks_per_node 4
machine ranks_per_gpu 4
machine sm_count 32
machine memory_bytes 137438953472
machine l2_bytes 62914560
machine shared_bytes_per_sm 233472
machine registers_per_sm 65536
machine threads_per_sm 2048
machine blocks_per_sm 32
measure host_round_trip all 0 0 2 1.9 2.1 44
measure launch_to_flag all 0 0 9 8.9 9.5 800
measure launch_and_sync all 20000 0 21 20 22 800
measure launch_and_sync all 40000 0 31 30 32 800
measure queued_kernel all 20000 0 12 11.9 12.1 84
measure queued_kernel all 40000 0 22 21.9 22.1 84
measure event_hop all 20000 0 13 12.9 13.1 84
measure event_hop all 40000 0 23 22.9 23.1 84
measure host_launch_call all 0 0 4.5 4.4 4.6 84
measure fp32 all 0 4e9 302 301 303 11
measure fp32 alone 0 4e9 252 251 253 11
measure tensor_bf16 all 0 6e10 302 301 303 11
measure hbm_copy all 0 1e9 1002 1000 1004 11
measure l2_read all 4096 6e8 302 301 303 11
measure product_fp32 all 32 1e10 1000 990 1010 5
measure product_fp32 all 64 1e10 800 790 810 5
measure product_fp32 all 128 1e10 200 190 210 5
measure product_bf16 all 64 1e10 100 99 101 5
measure flag_hop all 0 0 1.5 1.4 1.6 11
measure lsa_store all 1 2000000 52 51 53 11
measure lsa_store all 2 4000000 82 81 83 11
measure lsa_store all 32 64000000 162 161 163 11
measure lsa_store all 64 128000000 258 257 259 11
measure spin all 20000 0 12 11.9 12.1 21
measure all_gather all 4096 4096 24 23 25 7
measure all_gather all 16384 16384 23.9 23 25 7
measure all_gather all 65536 65536 34 33 35 7
measure all_gather_window all 4096 4096 20 19 21 7
)";

std::string with(const std::string& line, const std::string& replacement) {
  std::string changed = replace_all(kRaw, line, replacement);
  EXPECT_NE(changed, kRaw) << line;
  return changed;
}

Result<Calibration> fitted(const std::string& raw) {
  Result<Measurements> measurements = parse_measurements("raw.txt", raw);
  if (!measurements) return measurements.error();
  return fit("mine", *measurements, std::nullopt);
}

std::string error_of(const std::string& raw) {
  Result<Calibration> calibration = fitted(raw);
  return calibration ? "no error" : calibration.error().message;
}

TEST(Calibration, TakesKernelsOutOfLatencies) {
  Result<Calibration> calibration = fitted(kRaw);
  ASSERT_TRUE(calibration) << calibration.error().message;
  const model::Latencies& latencies = calibration->profile.latencies;
  EXPECT_EQ(latencies.launch_us, 8);       // 9 less half of 2.
  EXPECT_EQ(latencies.kernel_gap_us, 2);   // 2 x 12 - 22.
  EXPECT_EQ(latencies.event_us, 3);        // 2 x 13 - 23.
  EXPECT_EQ(latencies.stream_sync_us, 3);  // 2 x 21 - 31 - 8.
  EXPECT_EQ(latencies.flag_hop_us, 1.5);
  EXPECT_EQ(latencies.collective_us, 7);  // 24 - 12 of the kernel - 2 of the gap - 2 hops.
  EXPECT_EQ(latencies.launch_call_us, 4.5);
  EXPECT_FALSE(latencies.collective_call_us);
  EXPECT_EQ(calibration->profile.gpu.clock_ghz, 2);
}

TEST(Calibration, RatesAreOfAllRanksAtOnceWithoutTheGap) {
  Result<Calibration> calibration = fitted(kRaw);
  ASSERT_TRUE(calibration) << calibration.error().message;
  const model::GpuProfile& gpu = calibration->profile.gpu;
  EXPECT_EQ(gpu.fp32_tflops, 13.33);  // 4e9 in 300 us.
  EXPECT_EQ(gpu.tensor_bf16_tflops, 200);
  EXPECT_EQ(gpu.hbm_gb_per_s, 1000);
  EXPECT_EQ(gpu.l2_gb_per_s, 2000);
  EXPECT_EQ(gpu.hbm_gib, 32);
  EXPECT_EQ(gpu.l2_mib, 15);
  EXPECT_EQ(
      calibration->sources.at("gpu.fp32_tflops"),
      "measured: chains of fused multiply-adds, all ranks at once; 13.29 to 13.38 in 11 samples; a rank alone 16");
}

TEST(Calibration, LinkHasItsBestRateAndABlockTheMiddleOne) {
  Result<Calibration> calibration = fitted(kRaw);
  ASSERT_TRUE(calibration) << calibration.error().message;
  const model::Link& link = *calibration->profile.topology.inside;
  EXPECT_EQ(link.kind, "hbm");
  EXPECT_EQ(link.gb_per_s, 500);       // 128 MB in 256 us.
  EXPECT_EQ(link.block_gb_per_s, 25);  // Of 40, 25 and 12.5; two blocks a multiprocessor do not count.
}

TEST(Calibration, CurveOfACollectiveRises) {
  Result<Calibration> calibration = fitted(kRaw);
  ASSERT_TRUE(calibration) << calibration.error().message;
  const std::vector<model::CollectiveCurve>& curves = calibration->profile.collectives;
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].collective, model::Collective::AllGather);
  EXPECT_EQ(curves[0].bytes, (std::vector<double>{4096, 65536}));
  EXPECT_EQ(curves[0].us, (std::vector<double>{10, 20}));
  EXPECT_TRUE(curves[1].windows);
  EXPECT_EQ(curves[1].us, (std::vector<double>{6}));
}

TEST(Calibration, EfficiencyIsTheVirtualTimeByTheRealOne) {
  Result<Calibration> calibration = fitted(kRaw);
  ASSERT_TRUE(calibration) << calibration.error().message;
  Result<Measurements> simulated = parse_measurements("virtual",
                                                      "measure product_fp32 all 64 1e10 400 400 400 5\n"
                                                      "measure product_fp32 all 128 1e10 25 25 25 5\n"
                                                      "measure product_fp32 all 32 1e10 250 250 250 5\n"
                                                      "measure product_bf16 all 64 1e10 30 30 30 5\n");
  ASSERT_TRUE(fit_efficiency(*calibration, *parse_measurements("raw", kRaw), *simulated).ok());
  EXPECT_EQ(calibration->profile.gpu.efficiency, 0.25);  // Of 0.5, 0.25 and 0.125.
  EXPECT_EQ(calibration->profile.gpu.tensor_efficiency, 0.3);
  EXPECT_EQ(calibration->profile.gpu.memory_efficiency, 1);
}

TEST(Calibration, EfficiencyNeedsAProductThatBothHave) {
  Result<Calibration> calibration = fitted(kRaw);
  ASSERT_TRUE(calibration) << calibration.error().message;
  Result<Measurements> simulated = parse_measurements("virtual", "measure product_fp32 all 16 1e10 400 400 400 5\n");
  EXPECT_EQ(fit_efficiency(*calibration, *parse_measurements("raw", kRaw), *simulated).error().message,
            "there is no product_fp32 that was measured and simulated alike");
}

TEST(Calibration, RatesBeyondTwiceTheDatasheetAreRefused) {
  EXPECT_EQ(error_of(with("hbm_copy all 0 1e9", "hbm_copy all 0 3e9")),
            "gpu.hbm_gb_per_s comes out as 3000 a rank, 12000 for the GPU, more than twice the 4800 of its datasheet; "
            "the measurement is wrong");
}

TEST(Calibration, LatenciesBelowZeroAreRefused) {
  std::string message = error_of(with("event_hop all 40000 0 23 22.9 23.1", "event_hop all 40000 0 27 26.9 27.1"));
  EXPECT_TRUE(message.starts_with("latencies.event_us comes out as -1 (measured: ")) << message;
}

TEST(Calibration, MissingMeasurementIsNamed) {
  EXPECT_EQ(error_of(with("measure l2_read all 4096 6e8 302 301 303 11\n", "")),
            "there is no measurement l2_read with all ranks; a measuring program did not end");
  EXPECT_EQ(error_of(with("machine sm_count 32\n", "")),
            "there is no line 'machine sm_count ...'; a measuring program did not end");
  EXPECT_EQ(error_of(with("machine sm_count 32", "machine sm_count many")),
            "machine sm_count is 'many'; it must be a number above 0");
}

TEST(Calibration, WideSpreadIsADoubt) {
  Result<Calibration> calibration = fitted(with("fp32 all 0 4e9 302 301 303", "fp32 all 0 4e9 302 301 402"));
  ASSERT_TRUE(calibration) << calibration.error().message;
  EXPECT_EQ(calibration->doubts,
            (std::vector<std::string>{
                "gpu.fp32_tflops: samples spread over 33 % of their median, 301 to 402 us in 11 samples"}));
}

TEST(Calibration, TextIsAProfileWithTheSameNumbers) {
  Result<Calibration> calibration = fitted(kRaw);
  ASSERT_TRUE(calibration) << calibration.error().message;
  std::string text = profile_text(*calibration, *parse_measurements("raw", kRaw));
  EXPECT_TRUE(
      text.starts_with("# Written by cuco calibrate, measured 2026-11-15 on NVIDIA H200, driver 580.1, CUDA "
                       "13.0, NCCL 2.30.7.\n"))
      << text;
  Result<model::HardwareProfile> read = model::parse_profile("mine", "mine.toml", text);
  ASSERT_TRUE(read) << read.error().message << "\n" << text;
  EXPECT_EQ(read->description, "4 ranks sharing one NVIDIA H200 under MPS, 32 SMs each, measured");
  EXPECT_EQ(read->gpu.fp32_tflops, 13.33);
  EXPECT_EQ(read->latencies.launch_call_us, 4.5);
  EXPECT_EQ(read->collectives[0].us, (std::vector<double>{10, 20}));
}

// 24 puts of 1 MiB and of 4 MiB at 12.5 GB/s after a latency, 1000 small ones in 2.5 ms.
TEST(Calibration, PutsOfKernelsMakeTheLinkBetweenEmulatedNodes) {
  std::string raw = replace_all(kRaw, "machine ranks_per_node 4", "machine ranks_per_node 2");
  raw +=
      "measure gin_latency alone 8 0 10.5 10.1 11 11\n"
      "measure gin_stream all 8 8000 2500 2400 2600 5\n"
      "measure gin_stream all 1048576 25165824 2023.266 2020 2030 5\n"
      "measure gin_stream all 4194304 100663296 8063.064 8060 8070 5\n";
  Result<Calibration> made = fit("mine", *parse_measurements("raw", raw), std::nullopt);
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_TRUE(made->profile.topology.between.has_value());
  const model::Link& link = *made->profile.topology.between;
  EXPECT_EQ(made->profile.topology.nodes, 2u);
  EXPECT_EQ(link.kind, "emulated");
  EXPECT_DOUBLE_EQ(link.latency_us, 10.5);
  EXPECT_NEAR(link.gb_per_s, 12.5, 0.01);
  EXPECT_NEAR(link.messages_m_per_s, 0.4, 0.001);
}

}  // namespace
}  // namespace cuco::gpu
