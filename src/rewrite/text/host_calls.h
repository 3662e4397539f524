// Host code in .cpp files cannot include device code. It includes declarations of plain functions (cuco/comm/host.h)
// and declares one for each of its sites; a .cu file of the program defines them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cuco::rewrite {

struct HostCall {
  std::string name;      // "s1_all_gather".
  std::string function;  // Of the library: "all_gather".
  std::string route;     // The library's argument that says how.
};

// How a file of the program can call the library.
enum class FileKind : uint8_t {
  Device,      // A .cu file, or a header of a program that has no others.
  Host,        // Compiled as C++ without device code.
  C,           // Compiled as C.
  HostHeader,  // Included by both kinds of files, or by host files.
};
FileKind kind_of_file(const std::string& path, bool has_host_files);
bool is_host_file(const std::string& path);
bool is_c_file(const std::string& path);
bool is_device_file(const std::string& path);

// "cuco::comm::created", "cuco_comm_created": what a file of that kind calls a function of the library.
std::string name_in(FileKind kind, const std::string& function);

struct HostCalls {
  std::vector<HostCall> calls;
  std::string open;        // The statement that opens all communicators.
  std::string opened;      // The expression that opens those that were made, of `result`; empty where none does.
  bool in_flight = false;  // Exchanges run beside the program's work.
};

// `device_file` is the file that defines them.
std::string declared_calls(const HostCalls& host, FileKind kind, const std::string& device_file);
// With those for C where the program has C files.
std::string defined_calls(const HostCalls& host, bool for_c);

}  // namespace cuco::rewrite
