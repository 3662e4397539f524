// What a user sets through variables that begin with CUCO_NIC_. A variable that is not known is refused, so that a
// misspelt one cannot leave a run with a network that nobody asked for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "nic/faults.h"
#include "nic/link_model.h"
#include "nic/result.h"

namespace cuco::nic {

enum class Sharing : uint8_t { Rank, Node };  // One NIC per process, or one for all processes of a node.

// Which part of the GPU moves bytes: a kernel in the program's CUDA context, which comes and goes with the messages;
// one in a context of its own, which stays; or copies of the driver only.
enum class EngineKind : uint8_t { Kernel, Apart, Copies };

struct Settings {
  Link link;
  Sharing sharing = Sharing::Rank;
  FaultSettings faults;
  std::string stats_file;  // Empty: no statistics are written.
  std::string session;     // Processes that name the same session see each other.
  std::string node;        // The host's identity as NCCL sees it.
  double late_share_max = 0.05;
  int64_t late_ns = 2'000;  // A delivery later than this counts as late.
  // How long after a kernel's put NCCL's thread hands it over; a put's latency counts from the kernel, so this is taken
  // off. Not for the messages of host collectives, whose way through NCCL's thread is their own. The default was
  // measured on an H200 with NCCL 2.30.7 (2026-11-15).
  int64_t notice_ns = 3'500;
  int64_t linger_ns = 100'000;  // How long an engine in the program's context stays after the last message.
  EngineKind engine = EngineKind::Apart;
  bool host_puts = true;  // NCCL serves them, with a thread of its own: NCCL_RMA_DISABLE is not 1.
};

using Variables = std::map<std::string, std::string>;

// Every variable of the process's environment.
Variables environment();
Result<Settings> read_settings(const Variables& variables);

// "10us" -> 10000, "12.5GB/s" -> 12.5. Also ns, ms, s; MB/s, GB/s, Mb/s, Gb/s (b: bits).
Result<int64_t> parse_duration_ns(std::string_view text);
Result<double> parse_bytes_per_ns(std::string_view text);

}  // namespace cuco::nic
