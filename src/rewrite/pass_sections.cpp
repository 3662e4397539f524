#include <map>
#include <set>

#include "base/text.h"
#include "rewrite/pass.h"
#include "rewrite/sections.h"
#include "rewrite/source_scan.h"

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
  static const std::map<std::string, std::string> names = {{"ncclSum", "Sum"},
                                                           {"ncclProd", "Product"},
                                                           {"ncclMin", "Smallest"},
                                                           {"ncclMax", "Largest"},
                                                           {"ncclAvg", "Average"}};
  return names;
}

const model::Operation& first_call(const Work& work, Index site) {
  return work.program().operations[work.request.graph.sites[site].operations[0]];
}

std::string path_of(const Work& work, Index site) { return concat("device_comm::", reach_of(work, site)); }

std::string comment_of(const Work& work, const std::string& kernel) {
  std::string text;
  for (Index site : work.sites)
    if (kernel_name(work, site) == kernel)
      text += concat("// ", work.request.graph.sites[site].name, " ", first_call(work, site).callee, ": ",
                     space::to_text(directive_of(work, site)), "\n");
  return text;
}

// The NCCL types that the site's calls have, each with the type of its elements.
std::map<std::string, std::string> types_of(Work& work, Index site) {
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

std::string name_of_reduction(Work& work, Index site) {
  auto found = reductions().find(first_call(work, site).communicate->reduction);
  if (found != reductions().end()) return found->second;
  work.obstacle(first_call(work, site).range,
                concat("no rule knows the reduction ", first_call(work, site).communicate->reduction));
  return "Sum";
}

std::string reduction_kernel(Work& work, Index site) {
  std::string name = kernel_name(work, site), cases;
  for (const auto& [nccl_type, element] : types_of(work, site))
    cases += concat("  if (type == ", nccl_type, ") return ", name, "<", element, ">;\n");
  return concat("\n", comment_of(work, name), "template <typename T>\n__global__ void ", name,
                "(device_comm::Endpoint here, device_comm::Reduction work) {\n  device_comm::reduce<",
                path_of(work, site), ", T, device_comm::", name_of_reduction(work, site),
                ">(here, work);\n}\ninline device_comm::ReduceKernel ", name, "_for(ncclDataType_t type) {\n", cases,
                "  return nullptr;\n}\n");
}

std::string move_kernel(const Work& work, Index site) {
  std::string name = kernel_name(work, site);
  return concat("\n", comment_of(work, name), "static __global__ void ", name,
                "(device_comm::Endpoint here, device_comm::Exchange work) {\n  device_comm::",
                work.slices.contains(site) ? "exchange_part<" : "exchange<", path_of(work, site),
                ">(here, work);\n}\n");
}

std::string kernel_of(Work& work, Index site) {
  return is_reduction(first_call(work, site).communicate->collective) ? reduction_kernel(work, site)
                                                                      : move_kernel(work, site);
}

SectionNeeds needs_of(const Work& work) {
  SectionNeeds needs;
  needs.in_parts = !work.slices.empty();
  needs.priority = work.request.plan.schedule.priority;
  for (Index site : work.sites) {
    needs.backends.insert(directive_of(work, site).backend);
    needs.blocks_max = std::max(needs.blocks_max, blocks_of(work, site));
    bool whole = work.request.stage == Stage::Whole;
    needs.in_flight |= whole && is_in_flight(work, site);
    if (whole && lane_of(work, site)) needs.lanes = std::max(needs.lanes, *lane_of(work, site) + 1);
    if (work.request.stage == Stage::Whole)
      needs.calls[first_call(work, site).callee] = first_call(work, site).communicate->collective;
  }
  return needs;
}

std::string kernels_in(Work& work, Index file) {
  std::string text;
  std::set<std::string> written;
  for (Index site : work.sites)
    if (first_call(work, site).range.file == file && written.insert(kernel_name(work, site)).second)
      text += kernel_of(work, site);
  return text;
}

std::string section_for(Work& work, Index file) {
  SectionNeeds needs = needs_of(work);
  std::string text = concat("\n// The plan:\n//   ",
                            replace_all(std::string(trim(space::to_text(work.request.plan))), "\n", "\n//   "), "\n\n",
                            set_up_section(needs));
  if (work.request.stage == Stage::Windows) return text;
  std::string device = device_section(needs) + kernels_in(work, file);
  if (!work.request.annotate) return text + device;
  return concat(text, "\n// EVOLVE-BLOCK-START\n", trim(device), "\n// EVOLVE-BLOCK-END\n");
}

}  // namespace

void insert_sections(Work& work) {
  for (Index file = 0; file < work.request.sources.size(); ++file) {
    if (!work.edits.touches(file)) continue;
    const Source& source = work.request.sources[file];
    uint32_t first = work.edits.first_byte(file);
    if (!source.path.ends_with(".cu")) {
      work.obstacles.push_back(concat(source.path,
                                      ": error: communication is set up or called in this host file; "
                                      "device code can only stand in a .cu file, so move these calls there"));
      continue;
    }
    work.edits.insert(file, after_includes(source.text, first), section_for(work, file));
  }
}

}  // namespace cuco::rewrite
