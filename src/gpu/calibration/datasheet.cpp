#include "gpu/calibration/datasheet.h"

#include <algorithm>
#include <iterator>

namespace cuco::gpu {

namespace {

// NVIDIA's datasheets, SXM forms first where a name has several. The first row whose name occurs is taken.
constexpr Datasheet kDatasheets[] = {
    {"B200", 80, 2250, 8000, 900},
    {"H200 NVL", 60, 835, 4800, 900},
    {"H200", 67, 989, 4800, 450},
    {"H100 PCIe", 51, 756, 2000, 64},
    {"H100 NVL", 60, 835, 3900, 300},
    {"H100", 67, 989, 3350, 450},
    {"A100-SXM4-40GB", 19.5, 312, 1555, 300},
    {"A100", 19.5, 312, 2039, 300},
    {"A40", 37.4, 149.7, 696, 56},
    {"L40S", 91.6, 362, 864, 32},
    {"L4", 30.3, 121, 300, 32},
    {"A10", 31.2, 125, 600, 32},
    {"RTX 4090", 82.6, 165, 1008, 32},
};

}  // namespace

const Datasheet* find_datasheet(const std::string& gpu_name) {
  auto occurs = [&](const Datasheet& row) { return gpu_name.find(row.name) != std::string::npos; };
  const Datasheet* found = std::find_if(std::begin(kDatasheets), std::end(kDatasheets), occurs);
  return found == std::end(kDatasheets) ? nullptr : found;
}

}  // namespace cuco::gpu
