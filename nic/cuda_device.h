// The GPU as the NIC's device: windows are shared as file descriptors of their allocations, small messages and signals
// go through the engine, large ones through copies of the driver.
#pragma once

#include <memory>

#include "nic/device.h"
#include "nic/settings.h"

namespace cuco::nic {

// For the GPU that is current in the calling thread.
Result<std::unique_ptr<Device>> open_cuda_device(const Settings& settings);

}  // namespace cuco::nic
