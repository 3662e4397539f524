#include "vcluster/runtime/timing/costs.h"

#include <algorithm>

extern "C" {
cuco::vcluster::CostCounters cuco_costs = {};
}

namespace cuco::vcluster {

namespace {

constexpr double kSharedBytesPerClock = 128;  // CUDA C++ Programming Guide: 32 banks of 4 bytes.
constexpr double kIntegerLanes = 64;          // Per multiprocessor, compute capability 8.0 and 9.0.

// Estimates, in clocks of the multiprocessor: microbenchmarks of recent GPUs report 200 to 300 for a hit in the L2 and
// 450 to 600 for the HBM.
constexpr double kL2Clocks = 250;
constexpr double kHbmClocks = 500;

double seconds_at(uint64_t amount, double rate) { return amount == 0 ? 0 : static_cast<double>(amount) / rate; }

}  // namespace

Time time_of(const CostCounters& work, const model::GpuProfile& gpu) {
  double clock = gpu.clock_ghz * 1e9, sms = gpu.sm_count;
  double units = std::max({
      seconds_at(work[FpOperations], gpu.fp32_tflops * 1e12 / sms),
      seconds_at(work[TensorOperations], gpu.tensor_bf16_tflops * 1e12 / sms),
      seconds_at(work[IntegerOperations], kIntegerLanes * clock),
      seconds_at(work[SharedBytes], kSharedBytesPerClock * clock),
  });
  double memory = std::max(seconds_at(work[GlobalBytes], gpu.l2_gb_per_s * 1e9 / sms),
                           seconds_at(work[HbmBytes], gpu.hbm_gb_per_s * 1e9 / sms));
  double usual = gpu.efficiency.value_or(model::kUsualEfficiency);
  double reached = work[TensorOperations] > 0 ? gpu.tensor_efficiency.value_or(usual) : usual;
  return static_cast<Time>(std::max(units / reached, memory / gpu.memory_efficiency.value_or(usual)) * 1e12);
}

Time host_time_of(const CostCounters& work, const model::HostProfile& host) {
  return static_cast<Time>(std::max({seconds_at(work[IntegerOperations], host.gop_per_s * 1e9),
                                     seconds_at(work[FpOperations], host.gflop_per_s * 1e9),
                                     seconds_at(work[AccessedBytes], host.gb_per_s * 1e9)}) *
                           1e12);
}

Time latency_of(uint64_t loads, double missing, const model::GpuProfile& gpu) {
  double clocks = kL2Clocks + (kHbmClocks - kL2Clocks) * missing;
  return loads == 0 ? 0 : static_cast<Time>(static_cast<double>(loads) * clocks / gpu.clock_ghz * 1e3);
}

bool moves_bytes(const CostCounters& work) {
  return work[FpOperations] + work[TensorOperations] <= work[GlobalBytes] + work[PeerBytes];
}

double missing_share(double footprint, double moved, const model::GpuProfile& gpu) {
  if (moved <= 0 || footprint <= gpu.l2_mib * (1 << 20)) return 0;
  return std::min(1.0, footprint / moved);
}

Work& Work::operator+=(const Work& other) {
  for (size_t i = 0; i < counters.size(); i++) counters[i] += other.counters[i];
  inside_bytes += other.inside_bytes;
  between_bytes += other.between_bytes;
  block_time += other.block_time;
  return *this;
}

const CostCounters& cost_counters() { return cuco_costs; }

CostCounters counted_since(const CostCounters& before) {
  CostCounters counted = cost_counters();
  for (size_t i = 0; i < counted.size(); i++) counted[i] -= before[i];
  return counted;
}

void add_costs(const CostCounters& amounts) {
  for (size_t i = 0; i < amounts.size(); i++) cuco_costs[i] += amounts[i];
}

}  // namespace cuco::vcluster
