#include "nic/log.h"

#include <atomic>
#include <cstdio>

namespace cuco::nic {
namespace {

std::atomic<nccl::Logger> logger{nullptr};

void write(nccl::LogLevel level, const std::string& message) {
  constexpr unsigned long kNetwork = 0x10;
  if (const nccl::Logger log = logger.load()) log(level, kNetwork, "cuco_nic", 0, "emulated NIC: %s", message.c_str());
}

}  // namespace

void set_logger(nccl::Logger given) { logger.store(given); }
void log_info(const std::string& message) { write(nccl::LogLevel::Info, message); }
void log_warning(const std::string& message) { write(nccl::LogLevel::Warning, message); }

void log_error(const std::string& message) {
  write(nccl::LogLevel::Warning, message);
  std::fprintf(stderr, "emulated NIC: %s\n", message.c_str());
}

}  // namespace cuco::nic
