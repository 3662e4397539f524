#include "nic/processors.h"

#include <sched.h>

#include <climits>

namespace cuco::nic {

int allowed_processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : INT_MAX;
}

std::string processors_doubt(int allowed, int process_count, bool has_host_puts) {
  const int wanted = (kProcessorsOfAProcess + (has_host_puts ? kProcessorsForHostPuts : 0)) * process_count;
  if (allowed >= wanted) return "";
  return std::to_string(process_count) + (process_count == 1 ? " process" : " processes") + " may run on " +
         std::to_string(allowed) + " processors, where " + std::to_string(wanted) +
         " threads, the NIC's and NCCL's among them, take turns of milliseconds; leave ranks unbound (mpirun --bind-to "
         "none) and other work off their processors" +
         (has_host_puts ? ", and set NCCL_RMA_DISABLE=1 if the program does not put from the host" : "");
}

}  // namespace cuco::nic
