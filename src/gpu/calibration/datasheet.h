// What vendors say that whole GPUs do: the measure of whether a measurement can be true, and a stand-in for what was
// not measured.
#pragma once

#include <string>

namespace cuco::gpu {

struct Datasheet {
  const char* name;                        // As it occurs in the name that the driver gives.
  double fp32_tflops, tensor_bf16_tflops;  // Dense.
  double hbm_gb_per_s;
  double link_gb_per_s;  // NVLink or PCIe, one direction.
};

// Null for a GPU that is not in the table.
const Datasheet* find_datasheet(const std::string& gpu_name);

}  // namespace cuco::gpu
