#include "nic/plugin.h"

#include <mutex>

#include "nic/cuda_device.h"
#include "nic/log.h"

namespace cuco::nic {
namespace {

std::mutex mutex;
int user_count = 0;
Plugin the_plugin;

std::string describe(const Adapter& adapter) {
  const Settings& settings = adapter.settings();
  return std::to_string(settings.link.bytes_per_ns) + " GB/s, latency " + std::to_string(settings.link.latency_ns) +
         " ns, gap " + std::to_string(settings.link.gap_ns) + " ns, one NIC per " +
         (settings.sharing == Sharing::Node ? "node" : "rank");
}

Result<bool> open_plugin() {
  const Result<Settings> settings = read_settings(environment());
  if (!settings) return settings.error();
  Result<std::unique_ptr<Device>> device = open_cuda_device(*settings);
  if (!device) return device.error();
  Result<std::unique_ptr<Adapter>> adapter = Adapter::open(*settings, std::move(*device));
  if (!adapter) return adapter.error();
  the_plugin.adapter = std::move(*adapter);
  the_plugin.net = std::make_unique<Net>(*the_plugin.adapter);
  the_plugin.adapter->start([](Delivery delivery) { the_plugin.net->arrived(std::move(delivery)); });
  log_info(describe(*the_plugin.adapter));
  return true;
}

void close_plugin() {
  if (the_plugin.adapter) the_plugin.adapter->courier().stop();
  the_plugin.net.reset();
  the_plugin.adapter.reset();
}

// NCCL may unload the library, or the process may end, while a communicator is open.
struct Closing {
  ~Closing() { close_plugin(); }
} closing;

}  // namespace

bool acquire_plugin(nccl::Logger logger) {
  const std::lock_guard lock(mutex);
  if (logger) set_logger(logger);
  if (user_count == 0) {
    const Result<bool> opened = open_plugin();
    if (!opened) {
      log_error(opened.error().message);
      return false;
    }
  }
  ++user_count;
  return true;
}

void release_plugin() {
  const std::lock_guard lock(mutex);
  if (user_count > 0 && --user_count == 0) close_plugin();
}

Plugin& plugin() { return the_plugin; }

void fill_properties(nccl::Properties& properties, nccl::Offload offload) {
  static char name[] = "cuco_nic";
  const Settings& settings = the_plugin.adapter->settings();
  properties = {};
  properties.name = name;
  properties.guid = static_cast<uint64_t>(the_plugin.adapter->directory().self()) + 1;
  properties.pointer_kinds = nccl::kHostMemory | nccl::kDeviceMemory;
  properties.speed_mbit_s = static_cast<int>(settings.link.bytes_per_ns * 8'000);
  properties.latency_us = static_cast<float>(settings.link.latency_ns) / 1'000;
  properties.connections_max = kConnectionsMax;
  // NCCL's queues for puts are 32 times this deep; the ring of a pair of processes must hold several of them.
  properties.grouped_receives_max = offload == nccl::Offload::GinProxy ? 8 : 1;
  properties.offload = offload;
  properties.group = {1, {0}};
  properties.message_bytes_max = size_t{1} << 30;
  properties.collective_bytes_max = size_t{1} << 30;
  properties.multi_request_max = 1;
  properties.rail = -1;
  properties.plane = -1;
}

nccl::Status test_request(void* handle, int* done, int* bytes) {
  auto* request = static_cast<Request*>(handle);
  *done = 0;
  const Progress progress = the_plugin.adapter->progress(*request);
  if (progress == Progress::Open) return nccl::Status::Success;
  if (progress == Progress::Done && bytes && !request->local.empty())
    *bytes = static_cast<int>(request->local.front()->bytes);
  delete request;
  *done = 1;
  return progress == Progress::Done ? nccl::Status::Success : nccl::Status::RemoteError;
}

nccl::Status finalize(void*) {
  release_plugin();
  return nccl::Status::Success;
}

nccl::Status devices(int* count) {
  *count = 1;
  return nccl::Status::Success;
}

nccl::Status fail(const Error& error, nccl::Status status) {
  log_error(error.message);
  return status;
}

}  // namespace cuco::nic

extern "C" {

// For programs that time themselves: what lies between the two calls is what the statistics are of. Neither does
// anything in a process that has no NIC.
__attribute__((visibility("default"))) void cuco_nic_begin_timed() {
  using namespace cuco::nic;
  const std::lock_guard lock(mutex);
  if (the_plugin.adapter) the_plugin.adapter->recorder().begin_timed();
}

__attribute__((visibility("default"))) void cuco_nic_end_timed() {
  using namespace cuco::nic;
  const std::lock_guard lock(mutex);
  if (the_plugin.adapter) the_plugin.adapter->recorder().end_timed();
}
}
