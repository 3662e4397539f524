// The one emulated NIC of the process, shared by both function tables.
#pragma once

#include "nic/adapter.h"
#include "nic/nccl_interface.h"
#include "nic/net.h"

namespace cuco::nic {

struct Plugin {
  std::unique_ptr<Adapter> adapter;
  std::unique_ptr<Net> net;
};

// Opens the NIC, or counts one more user of it. False when it cannot be had; the reason was logged.
bool acquire_plugin(nccl::Logger logger);
void release_plugin();
Plugin& plugin();

void fill_properties(nccl::Properties& properties, nccl::Offload offload);
nccl::Status test_request(void* request, int* done, int* bytes);

}  // namespace cuco::nic
