#include "vcluster/runtime/gpu/kernel_names.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace cuco::vcluster {

namespace {

// "reduce<1, float>" of "void comm::reduce<1, float>(Place, Work)".
std::string bare_name(const std::string& signature) {
  size_t open = signature.find('<'), end = open;
  for (int depth = 0; end < signature.size(); end++) {
    depth += signature[end] == '<' ? 1 : signature[end] == '>' ? -1 : 0;
    if (depth == 0) break;
  }
  size_t begin = signature.find_last_of(" :", open);
  begin = begin == signature.npos ? 0 : begin + 1;
  return signature.substr(begin, std::min(end + 1, signature.size()) - begin);
}

}  // namespace

std::string instance_name(const std::string& written, const void* address) {
  Dl_info info;
  if (!dladdr(address, &info) || info.dli_saddr != address) return written;
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status),
                                              std::free);
  std::string signature = status == 0 ? name.get() : "";
  return signature.find('<') < signature.find('(') ? bare_name(signature) : written;
}

}  // namespace cuco::vcluster
