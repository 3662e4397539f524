// Host code in .cpp files cannot include device code. It includes declarations of plain functions (cuco/comm/host.h)
// and declares one for each of its sites; a .cu file of the program defines them.
#pragma once

#include <string>
#include <vector>

namespace cuco::rewrite {

struct HostCall {
  std::string name;      // "s1_all_gather".
  std::string function;  // Of the library: "all_gather".
  std::string route;     // The library's argument that says how.
};

bool is_host_file(const std::string& path);

struct HostCalls {
  std::vector<HostCall> calls;
  std::string open;        // The statement that opens all communicators.
  bool in_flight = false;  // Exchanges run beside the program's work.
};

// `device_file` is the file that defines them.
std::string declared_calls(const HostCalls& host, const std::string& device_file);
std::string defined_calls(const HostCalls& host);

}  // namespace cuco::rewrite
