#include "rewrite/text/reduction_text.h"

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
    auto type = element_types().find(call.communicate->type);
    if (type == element_types().end())
      work.obstacle(call.range, concat("no rule reduces elements of type ", call.communicate->type));
    else
      types.insert(*type);
  }
  return types;
}

std::string reduction_of(Work& work, Index site) {
  auto found = reductions().find(first_call(work, site).communicate->reduction);
  if (found != reductions().end()) return found->second;
  work.obstacle(first_call(work, site).range,
                concat("no rule knows the reduction ", first_call(work, site).communicate->reduction));
  return "Sum";
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
