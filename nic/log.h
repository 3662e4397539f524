// Messages to the person who runs the program, through NCCL's own log once NCCL has handed it over.
#pragma once

#include <string>

#include "nic/nccl_interface.h"

namespace cuco::nic {

void set_logger(nccl::Logger logger);
void log_info(const std::string& message);     // Shown with NCCL_DEBUG=INFO.
void log_warning(const std::string& message);  // Shown with NCCL_DEBUG=WARN.
void log_error(const std::string& message);    // Always shown, on the standard error stream too.

}  // namespace cuco::nic
