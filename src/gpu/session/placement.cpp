#include "gpu/session/placement.h"

#include <unistd.h>

#include <algorithm>

#include "base/text.h"

namespace cuco::gpu {

namespace {

bool is_named(const Device& device, const std::string& word) {
  bool is_number = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
  if (is_number) return concat(device.index) == word;
  return word.size() > 4 && device.uuid.starts_with(word);
}

bool is_this_machine(const std::string& host) {
  char own[256] = {};
  gethostname(own, sizeof own - 1);
  std::string name = own;
  return host == "localhost" || host == "127.0.0.1" || host == name || host == split(name, '.')[0];
}

Error too_few(const std::string& where, uint32_t ranks, size_t gpus) {
  return Error{concat(counted(ranks, "rank"), " on ", where, " with ", counted(gpus, "GPU"),
                      ": they would take turns on a GPU and nothing could be timed; several ranks on one GPU are --on "
                      "one-gpu, through MPS")};
}

Result<std::vector<Device>> own_devices(ProcessRunner& processes, const Environment& environment) {
  CUCO_TRY(std::vector<Device> all, find_devices(processes));
  return visible_devices(std::move(all), environment);
}

Result<std::vector<Device>> first_devices(std::vector<Device> devices, uint32_t count, const std::string& where) {
  if (devices.size() < count) return too_few(where, count, devices.size());
  devices.resize(count);
  return devices;
}

Result<std::vector<Device>> the_device(std::vector<Device> devices, uint32_t number) {
  if (number >= devices.size())
    return Error{concat("GPU ", number, " is not there: this machine shows ", counted(devices.size(), "GPU"))};
  return std::vector<Device>{devices[number]};
}

Status check_host(const Host& host, uint32_t ranks, const Launcher& launcher, ProcessRunner& processes) {
  std::vector<std::string> prefix = line_on_host(launcher, host.name);
  if (prefix.empty()) return Done{};  // A launcher of the user's: the slots are his word.
  Result<std::vector<Device>> devices = find_devices(processes, prefix);
  if (!devices) return Error{concat("host ", host.name, ": ", devices.error().message)};
  if (devices->size() < ranks) return too_few("host " + host.name, ranks, devices->size());
  return Done{};
}

// Launchers fill the slots of a host before they go on to the next.
Result<std::vector<Device>> place_on_hosts(uint32_t rank_count, const Launcher& launcher,
                                           const std::vector<Host>& hosts, ProcessRunner& processes,
                                           const Environment& environment) {
  std::vector<Device> own;
  uint32_t left = rank_count;
  for (const Host& host : hosts) {
    uint32_t ranks = std::min(left, host.slots);
    left -= ranks;
    if (ranks == 0) break;
    if (!is_this_machine(host.name)) {
      CUCO_CHECK(check_host(host, ranks, launcher, processes));
      continue;
    }
    CUCO_TRY(std::vector<Device> devices, own_devices(processes, environment));
    CUCO_TRY(own, first_devices(std::move(devices), ranks, "host " + host.name));
  }
  return own;
}

}  // namespace

Result<std::vector<Device>> visible_devices(std::vector<Device> all, const Environment& environment) {
  std::string list = environment.variable("CUDA_VISIBLE_DEVICES").value_or("");
  if (list.empty()) return all;
  std::vector<Device> visible;
  for (const std::string& word : split(list, ',')) {
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const Device& each) { return is_named(each, std::string(trim(word))); });
    if (found == all.end())
      return Error{concat("CUDA_VISIBLE_DEVICES=", list, ": nvidia-smi lists no GPU '", trim(word), "'")};
    visible.push_back(*found);
  }
  return visible;
}

Result<std::vector<Device>> place_ranks(const SessionRequest& request, const Launcher& launcher,
                                        const std::vector<Host>& hosts, ProcessRunner& processes,
                                        const Environment& environment) {
  if (!hosts.empty()) return place_on_hosts(request.rank_count, launcher, hosts, processes, environment);
  CUCO_TRY(std::vector<Device> devices, own_devices(processes, environment));
  if (request.executor == Executor::OneGpu) return the_device(std::move(devices), request.device);
  return first_devices(std::move(devices), request.rank_count, "this machine");
}

}  // namespace cuco::gpu
