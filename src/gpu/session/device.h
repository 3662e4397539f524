// The GPUs of this machine, as nvidia-smi tells of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/result.h"

namespace cuco::gpu {

struct Device {
  uint32_t index = 0;
  std::string uuid;
  std::string name;
  std::string architecture;  // "sm_90".
  uint64_t memory_bytes = 0;
  std::string driver;        // Version.
  std::string compute_mode;  // "Default", "Exclusive_Process", "Prohibited"; empty: unknown.
};

// Of one instant; kept with every timing.
struct DeviceState {
  uint32_t multiprocessor_mhz = 0, memory_mhz = 0;
  uint32_t temperature_c = 0;
  double power_w = 0;
  std::string throttled;  // Why the clocks are below what was asked for; empty: they are not.
};

// An error says that there is no driver, or no GPU, and how it was looked for.
// `prefix` are words that run a command elsewhere, such as on another host.
Result<std::vector<Device>> find_devices(ProcessRunner& processes, const std::vector<std::string>& prefix = {});
Result<DeviceState> state_of(const Device& device, ProcessRunner& processes);

// A process with a context on a GPU of this machine. In a container, numbers can be those of the machine around it.
struct ComputeProcess {
  uint32_t process = 0;
  std::string name;

  bool operator==(const ComputeProcess&) const = default;
};
Result<std::vector<ComputeProcess>> compute_processes(const Device& device, ProcessRunner& processes);

}  // namespace cuco::gpu
