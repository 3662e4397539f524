// The one emulated NIC of the process, shared by both function tables.
#pragma once

#include "nic/adapter.h"
#include "nic/nccl_interface.h"
#include "nic/net.h"
#include "nic/result.h"

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

// What both tables have in common.
nccl::Status finalize(void* context);
nccl::Status devices(int* count);
// Logs the message; nothing is ever thrown into NCCL.
nccl::Status fail(const Error& error, nccl::Status status = nccl::Status::SystemError);

}  // namespace cuco::nic
