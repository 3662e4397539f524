#include "rewrite/text/reduction_text.h"

#include <algorithm>

#include "base/text.h"

namespace cuco::rewrite {

namespace {

using model::Index;

const std::map<std::string, std::string>& element_types() {
  static const std::map<std::string, std::string> types = {
      {"ncclInt8", "int8_t"},    {"ncclChar", "int8_t"},     {"ncclUint8", "uint8_t"},
      {"ncclInt32", "int32_t"},  {"ncclInt", "int32_t"},     {"ncclUint32", "uint32_t"},
      {"ncclInt64", "int64_t"},  {"ncclUint64", "uint64_t"}, {"ncclFloat16", "__half"},
      {"ncclHalf", "__half"},    {"ncclFloat32", "float"},   {"ncclFloat", "float"},
      {"ncclFloat64", "double"}, {"ncclDouble", "double"},   {"ncclBfloat16", "__nv_bfloat16"},
  };
  return types;
}

const std::map<std::string, std::string>& reductions() {
  static const std::map<std::string, std::string> names = {
      {"ncclSum", "Sum"}, {"ncclProd", "Product"}, {"ncclMin", "Min"}, {"ncclMax", "Max"}, {"ncclAvg", "Average"}};
  return names;
}

}  // namespace

std::map<std::string, std::string> element_types_of(Work& work, Index site) {
  std::map<std::string, std::string> types;
  for (Index index : work.request.graph.sites[site].operations) {
    const model::Operation& call = work.program().operations[index];
    if (call.communicate->element_bytes == 0) continue;
    auto type = element_types().find(call.communicate->type);
    if (type == element_types().end())
      work.obstacle(call.range, concat("no rule reduces elements of type ", call.communicate->type));
    else
      types.insert(*type);
  }
  return types;
}

bool has_any_type(const Work& work, Index site) {
  const std::vector<Index>& calls = work.request.graph.sites[site].operations;
  return std::any_of(calls.begin(), calls.end(),
                     [&](Index call) { return work.program().operations[call].communicate->element_bytes == 0; });
}

std::string reduction_of(const Work& work, Index site) {
  std::set<std::string> names;
  for (Index call : work.request.graph.sites[site].operations) {
    auto found = reductions().find(work.program().operations[call].communicate->reduction);
    names.insert(found == reductions().end() ? "Reduction" : found->second);
  }
  return names.size() == 1 ? *names.begin() : "Reduction";
}

std::string traced_type_of(const Work& work, Index site, uint32_t element_bytes) {
  std::string found;
  for (Index index : work.request.graph.sites[site].operations) {
    const model::CommunicateDetail& call = *work.program().operations[index].communicate;
    if (call.element_bytes != element_bytes || call.type == found) continue;
    if (!found.empty()) return {};
    found = call.type;
  }
  return found;
}

}  // namespace cuco::rewrite
