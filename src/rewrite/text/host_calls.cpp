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

std::string head_of(const HostCall& call) {
  return concat("ncclResult_t ", call.name, "(", join(parameters_of(call.function), ", "), ")");
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

std::string declared_calls(const HostCalls& host, const std::string& device_file) {
  std::string text = concat("\n#include <cuco/comm/host.h>  // Defined in ", device_file, ".\n");
  if (host.calls.empty()) return text;
  text += "namespace cuco::comm_host {\n";
  for (const HostCall& call : host.calls) text += concat(head_of(call), ";\n");
  return text + "}  // namespace cuco::comm_host\n";
}

std::string defined_calls(const HostCalls& host) {
  std::string text = concat("\n// What the host files of this program call.\nnamespace cuco::comm_host {\n",
                            "void open_all() { ", host.open, " }\n");
  for (const HostCall& call : host.calls)
    text += concat(head_of(call), " {\n  return cuco::comm::", call.function, "(", call.route, ", ",
                   names_of(parameters_of(call.function)), ");\n}\n");
  return text + "}  // namespace cuco::comm_host\n";
}

}  // namespace cuco::rewrite
