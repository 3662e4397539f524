#include "gpu/emulated_nic.h"

#include <unistd.h>

#include "base/text.h"
#include "base/untrusted_file.h"
#include "gpu/judge.h"

namespace cuco::gpu {

namespace fs = std::filesystem;

namespace {

constexpr const char* kLibrary = "libcuco_nic.so";
constexpr const char* kStatistics = "nic.jsonl";
constexpr const char* kHandedOn[] = {"CUCO_NIC_SHARED", "CUCO_NIC_GAP",    "CUCO_NIC_ENGINE",
                                     "CUCO_NIC_NOTICE", "CUCO_NIC_LINGER", "CUCO_NIC_FAULTS"};

fs::path own_folder() {
  std::error_code failure;
  return fs::read_symlink("/proc/self/exe", failure).parent_path();
}

}  // namespace

Result<fs::path> find_nic_plugin(const Environment& environment) {
  if (std::string named = environment.variable("CUCO_NIC").value_or(""); !named.empty()) {
    if (environment.exists(named)) return fs::absolute(named);
    return Error{concat("CUCO_NIC=", named, ": there is no such file; it is to be the emulated NIC, ", kLibrary)};
  }
  std::vector<std::string> looked;
  for (const char* place : {".", "../lib", "../lib64", "../lib/x86_64-linux-gnu"}) {
    fs::path path = (own_folder() / place / kLibrary).lexically_normal();
    if (environment.exists(path)) return path;
    looked.push_back(path.parent_path().string());
  }
  return Error{concat("several nodes on one GPU need the emulated NIC between them, and ", kLibrary, " is not in ",
                      join(looked, ", "),
                      ": build it (ninja cuco_nic, where nvcc is), name it in CUCO_NIC, or ask for ", "one node")};
}

Variables nic_variables(const std::optional<model::Network>& network, const fs::path& plugin,
                        const Environment& environment) {
  Variables variables;
  for (const char* name : kHandedOn)
    if (std::string value = environment.variable(name).value_or(""); !value.empty())
      variables.emplace_back(name, value);
  variables.emplace_back("NCCL_NET_PLUGIN", plugin.string());
  // The NIC has no place on a PCI bus, so NCCL must be told that it may reach GPU memory from anywhere, and that every
  // rank reaches every other.
  variables.emplace_back("NCCL_NET_GDR_LEVEL", "SYS");
  variables.emplace_back("NCCL_CROSS_NIC", "1");
  // NCCL's other protocols are made for hardware that writes flags with the data; here they crawl (0.7 GB/s of 12.5,
  // H200, 2026-11-15). PAT is for many nodes, and not in an NCCL that was built with few kernels.
  variables.emplace_back("NCCL_PROTO", "Simple");
  variables.emplace_back("NCCL_PAT_ENABLE", "0");
  // Programs that put and signal from the host are none of cuco's, and the thread that NCCL keeps for them as soon as
  // there is a window polls on a core that others need.
  variables.emplace_back("NCCL_RMA_DISABLE", "1");
  if (network) {
    variables.emplace_back("CUCO_NIC_BANDWIDTH", concat(network->gb_per_s, "GB/s"));
    variables.emplace_back("CUCO_NIC_LATENCY", concat(network->latency_us, "us"));
  }
  return variables;
}

void add_nic_run(const fs::path& plugin, RankLaunch& launch, Variables& variables) {
  // Inside the sandbox processes have small numbers, and so have the jobs that launchers name after them.
  variables.emplace_back("CUCO_NIC_SESSION",
                         concat("cuco-", getpid(), "-", launch.folder.parent_path().filename().string(), "-",
                                launch.folder.filename().string()));
  variables.emplace_back("CUCO_NIC_STATS", (launch.folder / kStatistics).string());
  launch.readable.push_back(plugin.parent_path());
}

std::optional<evaluate::NetworkUse> network_use_in(const fs::path& folder, const RunOutcome& outcome) {
  Result<std::string> text = read_untrusted_file(folder / kStatistics);
  return text ? evaluate::network_use_of(*text, timed_us_of(outcome)) : std::nullopt;
}

}  // namespace cuco::gpu
