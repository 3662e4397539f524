// The hardware that plans are made for and the virtual clock runs on, read from profiles/*.toml.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/collective_curve.h"

namespace cuco::model {

struct GpuProfile {
  std::string name;          // "NVIDIA A100-SXM4-80GB".
  std::string architecture;  // "sm_80".
  uint32_t sm_count = 0;     // That one rank may use: a share when ranks divide a GPU.
  double clock_ghz = 0;
  double fp32_tflops = 0;  // Dense peaks of the SMs above.
  double tensor_bf16_tflops = 0;
  double hbm_gb_per_s = 0;
  double hbm_gib = 0;
  double l2_mib = 0;
  double l2_gb_per_s = 0;
  uint32_t shared_kib_per_sm = 0;
  uint32_t registers_per_sm = 0;
  uint32_t threads_per_sm_max = 0;
  uint32_t blocks_per_sm_max = 0;

  // Shares of the rates above that kernels reach; absent: as `efficiency`, and for that kUsualEfficiency.
  std::optional<double> efficiency = {};
  std::optional<double> tensor_efficiency = {};  // Of kernels that use the tensor cores.
  std::optional<double> memory_efficiency = {};  // Of the HBM and the L2.
};

// Fitted to recorded A100 totals; see docs/virtual_cluster.md.
constexpr double kUsualEfficiency = 0.86;

struct Latencies {
  double launch_us = 0;       // Host call of a launch until the kernel starts on an idle stream.
  double kernel_gap_us = 0;   // End of a kernel until the next one on the same stream starts.
  double stream_sync_us = 0;  // End of the work until the host goes on.
  double event_us = 0;        // Record on one stream until a waiting stream goes on.
  double collective_us = 0;   // A host collective of no bytes between two ranks.
  double flag_hop_us = 0;     // A store of one rank until a spinning peer sees it.

  // How long the host is busy with a call; absent: as with any other that only enqueues.
  std::optional<double> launch_call_us = {};
  std::optional<double> collective_call_us = {};
  // A change of memory until a thread that spins on it goes on; absent: at once.
  std::optional<double> poll_us = {};
};

// Of the link that docs/emulated_nic.md describes.
constexpr const char* kEmulatedLink = "emulated";

struct Link {
  std::string kind;  // "nvlink", "pcie", "hbm", "roce", "infiniband", or the above.
  double latency_us = 0;
  double gb_per_s = 0;          // One direction, per rank.
  double messages_m_per_s = 0;  // Millions of messages a second.
  // That one block's loads and stores of peers' memory reach; absent: what its multiprocessor does.
  std::optional<double> block_gb_per_s = {};
  // The same by the number of blocks of a launch, for all of them together: they get in each other's way. Empty:
  // unknown.
  std::vector<double> blocks = {}, blocks_gb_per_s = {};
};

// Threads of the blocks that the rates of a link are of. Each thread has few accesses under way at a time, so a block
// of fewer threads reaches less.
inline constexpr uint32_t kBlockThreads = 512;

// That each of `block_count` blocks of a launch reaches to peers' memory; nothing where the link says nothing.
std::optional<double> block_rate(const Link& link, uint64_t block_count, uint32_t thread_count);

// What a link between nodes does, without what it is; see network.h.
struct Network {
  double gb_per_s = 0;
  double latency_us = 0;

  bool operator==(const Network&) const = default;
};

struct Topology {
  uint32_t nodes = 1;
  uint32_t ranks_per_node = 1;
  uint32_t ranks_per_gpu = 1;
  bool multimem = false;        // NVLink multicast (NVLS) between the ranks of a node.
  std::optional<Link> inside;   // Absent with one rank a node.
  std::optional<Link> between;  // Absent with one node.

  uint32_t rank_count() const { return nodes * ranks_per_node; }
};

// What host code reaches on the one core that a rank has, and copies to and from the host's memory. Unless a profile
// says otherwise, estimates: an operation a clock at 3 GHz, what one core reads and writes of its memory, PCIe 4.0 x16
// as it is seen in practice.
struct HostProfile {
  double gop_per_s = 3;       // On integers and addresses.
  double gflop_per_s = 3;     // On floating-point numbers.
  double gb_per_s = 10;       // Also that of MPI's messages inside a node.
  double pcie_gb_per_s = 25;  // One direction.
};

struct HardwareProfile {
  std::string name;         // The file's stem.
  std::string description;  // One line.
  GpuProfile gpu;
  Latencies latencies;
  HostProfile host;
  Topology topology;
  std::vector<CollectiveCurve> collectives;  // Of all ranks together; others are priced by the links.
};

// Errors name the file and line and say what would be right.
Result<HardwareProfile> parse_profile(const std::string& name, const std::string& path, const std::string& toml_text);

// By name in the folder, or by path when `name` holds a slash or ends in .toml.
Result<HardwareProfile> load_profile(const std::filesystem::path& folder, const std::string& name);

// Names of the profiles in the folder, sorted.
Result<std::vector<std::string>> list_profiles(const std::filesystem::path& folder);

}  // namespace cuco::model
