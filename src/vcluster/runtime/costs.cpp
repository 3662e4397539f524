#include "vcluster/runtime/costs.h"

#include <algorithm>

extern "C" {
cuco::vcluster::CostCounters cuco_costs = {};
}

namespace cuco::vcluster {

namespace {

constexpr double kEfficiency = 0.86;          // Fitted to recorded A100 totals; see docs/virtual_cluster.md.
constexpr double kSharedBytesPerClock = 128;  // CUDA C++ Programming Guide: 32 banks of 4 bytes.
constexpr double kIntegerLanes = 64;          // Per multiprocessor, compute capability 8.0 and 9.0.

}  // namespace

Time time_of(const CostCounters& work, const model::GpuProfile& gpu) {
  double clock = gpu.clock_ghz * 1e9, sms = gpu.sm_count;
  double seconds = std::max({
      static_cast<double>(work[FpOperations]) / (gpu.fp32_tflops * 1e12 / sms),
      static_cast<double>(work[TensorOperations]) / (gpu.tensor_bf16_tflops * 1e12 / sms),
      static_cast<double>(work[IntegerOperations]) / (kIntegerLanes * clock),
      static_cast<double>(work[SharedBytes]) / (kSharedBytesPerClock * clock),
      static_cast<double>(work[GlobalBytes]) / (gpu.l2_gb_per_s * 1e9 / sms),
  });
  return static_cast<Time>(seconds / kEfficiency * 1e12);
}

Work& Work::operator+=(const Work& other) {
  for (size_t i = 0; i < counters.size(); i++) counters[i] += other.counters[i];
  inside_bytes += other.inside_bytes;
  between_bytes += other.between_bytes;
  return *this;
}

const CostCounters& cost_counters() { return cuco_costs; }

}  // namespace cuco::vcluster
