#include "rewrite/text/host_calls.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/assert.h"
#include "base/text.h"

namespace cuco::rewrite {

namespace {

using Parameters = std::vector<std::string>;

// Those of NCCL's functions.
const Parameters& parameters_of(const std::string& function) {
  static const std::string from = "const void* from", to = "void* to", count = "size_t count",
                           type = "ncclDataType_t type", op = "ncclRedOp_t op", root = "int root", peer = "int peer",
                           comm = "ncclComm_t comm", stream = "cudaStream_t stream";
  static const Parameters moves = {from, to, count, type, comm, stream};
  static const Parameters rooted = {from, to, count, type, root, comm, stream};
  static const Parameters reduces = {from, to, count, type, op, comm, stream};
  static const std::map<std::string, Parameters> all = {
      {"all_gather", moves},
      {"all_to_all", moves},
      {"broadcast", rooted},
      {"gather", rooted},
      {"scatter", rooted},
      {"all_reduce", reduces},
      {"reduce_scatter", reduces},
      {"reduce", {from, to, count, type, op, root, comm, stream}},
      {"bcast", {"void* buffer", count, type, root, comm, stream}},
      {"send", {from, count, type, peer, comm, stream}},
      {"receive", {to, count, type, peer, comm, stream}},
  };
  auto found = all.find(function);
  CUCO_ASSERT(found != all.end());
  return found->second;
}

std::string head_of(const std::string& name, const HostCall& call) {
  return concat("ncclResult_t ", name, "(", join(parameters_of(call.function), ", "), ")");
}

std::string names_of(const Parameters& parameters) {
  std::vector<std::string> names;
  for (const std::string& parameter : parameters) names.push_back(parameter.substr(parameter.rfind(' ') + 1));
  return join(names, ", ");
}

}  // namespace

bool is_host_file(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".cpp" || extension == ".cc" || extension == ".cxx";
}

bool is_c_file(const std::string& path) { return std::filesystem::path(path).extension() == ".c"; }

bool is_device_file(const std::string& path) { return std::filesystem::path(path).extension() == ".cu"; }

FileKind kind_of_file(const std::string& path, bool has_host_files) {
  if (is_c_file(path)) return FileKind::C;
  if (is_host_file(path)) return FileKind::Host;
  return is_device_file(path) || !has_host_files ? FileKind::Device : FileKind::HostHeader;
}

std::string name_in(FileKind kind, const std::string& function) {
  if (kind == FileKind::C) return concat("cuco_comm_", function);
  return concat(kind == FileKind::HostHeader ? "cuco::comm_host::" : "cuco::comm::", function);
}

std::string declared_calls(const HostCalls& host, FileKind kind, const std::string& device_file) {
  const char* header = kind == FileKind::C ? "host_c.h" : kind == FileKind::Host ? "host.h" : "host_calls.h";
  std::string text = concat("\n#include <cuco/comm/", header, kind == FileKind::C ? ">  /* " : ">  // ", "Defined in ",
                            device_file, kind == FileKind::C ? ". */\n" : ".\n");
  if (host.calls.empty()) return text;
  if (kind != FileKind::C) text += "namespace cuco::comm_host {\n";
  for (const HostCall& call : host.calls)
    text += concat(head_of(kind == FileKind::C ? name_in(kind, call.name) : call.name, call), ";\n");
  return kind == FileKind::C ? text : text + "}  // namespace cuco::comm_host\n";
}

std::string defined_calls(const HostCalls& host, bool for_c) {
  std::string text = concat("\n// What the host files of this program call.\nnamespace cuco::comm_host {\n",
                            "void open_all() { ", host.open, " }\n");
  if (!host.opened.empty()) text += concat("ncclResult_t opened(ncclResult_t result) { return ", host.opened, "; }\n");
  for (const HostCall& call : host.calls)
    text += concat(head_of(call.name, call), " {\n  return cuco::comm::", call.function, "(", call.route, ", ",
                   names_of(parameters_of(call.function)), ");\n}\n");
  text += "}  // namespace cuco::comm_host\n";
  if (!for_c) return text;
  if (!host.opened.empty())
    text +=
        "extern \"C\" ncclResult_t cuco_comm_opened(ncclResult_t result) { return cuco::comm_host::opened(result); }\n";
  for (const HostCall& call : host.calls)
    text += concat("extern \"C\" ", head_of(name_in(FileKind::C, call.name), call),
                   " {\n  return cuco::comm_host::", call.name, "(", names_of(parameters_of(call.function)), ");\n}\n");
  return text;
}

}  // namespace cuco::rewrite
