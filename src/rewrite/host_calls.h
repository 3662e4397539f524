// Host code in .cpp files cannot hold the section, which has device code. It gets declarations of plain functions, one
// for each of its sites, and a .cu file of the program defines them beside the section.
#pragma once

#include <string>
#include <vector>

namespace cuco::rewrite {

struct HostCall {
  std::string name;      // "s1_all_gather".
  std::string function;  // Of the section: "all_gather".
  std::string way;       // The section's argument that says how.
};

bool is_host_file(const std::string& path);

struct HostCalls {
  std::vector<HostCall> calls;
  bool groups = false;     // The program has groups of calls.
  bool in_flight = false;  // Exchanges run beside the program's work.
};

// `device_file` is the file that defines them.
std::string declared_calls(const HostCalls& host, const std::string& device_file);
std::string defined_calls(const HostCalls& host);

}  // namespace cuco::rewrite
