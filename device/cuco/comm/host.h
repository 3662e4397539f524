// What host files of a program include: host_calls.h, under the names that .cu files have.
#pragma once

#include <cuco/comm/host_calls.h>

namespace cuco {
namespace comm = comm_host;  // Calls read alike in all files of a program.
}
