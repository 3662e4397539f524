#include "vcluster/runtime/api/cuda/visible_devices.h"

#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"

namespace cuco::vcluster {

namespace {

bool each_sees_its_own = false;

}  // namespace

void show_each_rank_its_own() { each_sees_its_own = true; }

bool sees(const Process& process, const Device& device) {
  return each_sees_its_own ? device.rank == process.rank : device.node == process.node;
}

}  // namespace cuco::vcluster
