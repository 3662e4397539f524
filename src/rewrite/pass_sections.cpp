#include <filesystem>
#include <map>
#include <set>

#include "base/text.h"
#include "rewrite/host_calls.h"
#include "rewrite/pass.h"
#include "rewrite/reduction_text.h"
#include "rewrite/sections.h"
#include "rewrite/source_scan.h"

namespace cuco::rewrite {

namespace {

using model::Index;

const model::Operation& first_call(const Work& work, Index site) {
  return work.program().operations[work.request.graph.sites[site].operations[0]];
}

std::string path_of(const Work& work, Index site) {
  std::string issue = issue_of(work, site);
  if (issue == "Block") return concat("device_comm::", reach_of(work, site));
  return concat("device_comm::", reach_of(work, site), "By<device_comm::Issue::", issue, ">");
}

std::string comment_of(const Work& work, const std::string& kernel) {
  std::string text;
  for (Index site : work.sites)
    if (kernel_name(work, site) == kernel)
      text += concat("// ", work.request.graph.sites[site].name, " ", first_call(work, site).callee, ": ",
                     space::to_text(directive_of(work, site)), "\n");
  return text;
}

std::string reduction_by(const Work& work, Index site) {
  if (directive_of(work, site).backend == space::Backend::Lsa) return "reduce_by_loads<";
  return concat("reduce<", path_of(work, site), ", ");
}

std::string reduction_kernel(Work& work, Index site) {
  std::string name = kernel_name(work, site), cases;
  for (const auto& [nccl_type, element] : element_types_of(work, site))
    cases += concat("  if (type == ", nccl_type, ") return ", name, "<", element, ">;\n");
  return concat(
      "\n", comment_of(work, name), "template <typename T>\n__global__ void ", name,
      "(device_comm::Endpoint here, device_comm::Reduction work) {\n  device_comm::", reduction_by(work, site),
      "T, device_comm::", reduction_of(work, site), ">(here, work);\n}\ninline device_comm::ReduceKernel ", name,
      "_for(ncclDataType_t type) {\n", cases, "  return nullptr;\n}\n");
}

// What does the same as a fused kernel where the launch before the call was another one.
std::string written_kernel(Work& work, Index site) {
  std::string name = concat(kernel_name(work, site), "_in_parts"), cases;
  for (const auto& [nccl_type, element] : element_types_of(work, site))
    cases += concat("  if (type == ", nccl_type, ") return ", name, "<", element, ">;\n");
  return concat(
      "template <typename T>\n__global__ void ", name,
      "(const device_comm::Reducing work) {\n  device_comm::reduce_written<device_comm::", reach_of(work, site),
      ", T, device_comm::", reduction_of(work, site), ">(work);\n}\ninline device_comm::ReducingKernel ", name,
      "_for(ncclDataType_t type) {\n", cases, "  return nullptr;\n}\n");
}

std::string move_kernel(const Work& work, Index site) {
  std::string name = kernel_name(work, site);
  return concat("\n", comment_of(work, name), "static __global__ void ", name,
                "(device_comm::Endpoint here, device_comm::Exchange work) {\n  device_comm::", "exchange<",
                path_of(work, site), ">(here, work);\n}\n");
}

std::string kernel_of(Work& work, Index site) {
  if (!is_reduction(first_call(work, site).communicate->collective)) return move_kernel(work, site);
  return concat(reduction_kernel(work, site), work.fusions.contains(site) ? written_kernel(work, site) : "");
}

SectionNeeds needs_of(const Work& work) {
  SectionNeeds needs;
  needs.order = work.turns_loops;
  needs.exact = work.asks_for_less;
  needs.beside = work.launches_beside;
  needs.chunked = !work.chain.empty();
  for (const auto& [site, facts] : work.slices)
    (is_reduction(first_call(work, site).communicate->collective) ? needs.reduced_in_parts : needs.in_parts) = true;
  needs.sliced = !work.plain_slices.empty();
  for (const auto& [site, facts] : work.fusions)
    (is_reduction(first_call(work, site).communicate->collective) ? needs.reducing : needs.fused) = true;
  needs.sending = !work.senders.empty();
  for (const auto& [site, facts] : work.fusions) needs.specialised |= is_specialised(work, site);
  needs.awaited_by_blocks = !work.consumers.empty();
  needs.priority = work.request.plan.schedule.priority;
  for (Index site : work.sites) {
    needs.backends.insert(directive_of(work, site).backend);
    needs.blocks_max = std::max(needs.blocks_max, blocks_of(work, site));
    if (work.request.stage == Stage::Windows) continue;
    needs.in_flight |= is_in_flight(work, site);
    needs.awaited_in_parts |= waits_in_blocks(work) && is_chunked(work, site);
    // Calls of one site take lanes in turn, so there can be more lanes than sites.
    if (lane_of(work, site)) needs.lanes = std::max(1u, work.request.plan.schedule.streams);
    needs.calls[first_call(work, site).callee] = first_call(work, site).communicate->collective;
    needs.groups |= first_call(work, site).communicate->group != model::kNone;
  }
  return needs;
}

const std::string& path_of_site(const Work& work, Index site) {
  return work.request.sources[first_call(work, site).range.file].path;
}

// Sites of host files have their kernels in the file that defines their calls.
std::string kernels_in(Work& work, Index file, bool with_host_files) {
  std::string text;
  std::set<std::string> written;
  for (Index site : work.sites) {
    bool here = first_call(work, site).range.file == file;
    bool from_host_file = with_host_files && is_host_file(path_of_site(work, site));
    if ((here || from_host_file) && written.insert(kernel_name(work, site)).second) text += kernel_of(work, site);
  }
  return text;
}

HostCalls host_calls(const Work& work, const SectionNeeds& needs) {
  HostCalls host{{}, needs.groups, needs.in_flight};
  for (Index site : work.sites)
    if (work.request.stage == Stage::Whole && is_host_file(path_of_site(work, site)))
      host.calls.push_back(
          {call_name(work, site), function_of(first_call(work, site).callee), way_of(work, site, "::")});
  return host;
}

// What a search may change, where the program itself does not say.
std::string evolvable(const Work& work, const std::string& text) {
  bool is_marked = work.request.annotate && work.request.stage == Stage::Whole && !trim(text).empty();
  return is_marked ? concat("\n// EVOLVE-BLOCK-START\n", trim(text), "\n// EVOLVE-BLOCK-END\n") : text;
}

std::string section_for(Work& work, Index file, bool with_host_files) {
  SectionNeeds needs = needs_of(work);
  std::string text = concat("\n// The plan:\n//   ",
                            replace_all(std::string(trim(space::to_text(work.request.plan))), "\n", "\n//   "), "\n",
                            evolvable(work, knobs_section()), "\n", set_up_section(needs));
  std::string calls = with_host_files ? defined_calls(host_calls(work, needs)) : std::string();
  if (work.request.stage == Stage::Windows) return text + calls;
  // Kernels apart from the library that they call, so that a block can be replaced without it.
  std::string kernels = kernels_in(work, file, with_host_files);
  return concat(text, evolvable(work, device_section(needs)), evolvable(work, kernels), calls);
}

// The file that gets the device code of host files: the first that can hold it.
Index device_file(const Work& work) {
  for (Index file = 0; file < work.request.sources.size(); ++file)
    if (work.request.sources[file].path.ends_with(".cu")) return file;
  return model::kNone;
}

bool touches_host_files(const Work& work) {
  for (Index file = 0; file < work.request.sources.size(); ++file)
    if (work.edits.touches(file) && is_host_file(work.request.sources[file].path)) return true;
  return false;
}

void refuse(Work& work, const Source& source, const char* reason) {
  work.obstacles.push_back(concat(source.path, ": error: communication is set up or called in this file, ", reason));
}

void insert_declarations(Work& work, Index file, Index device) {
  const Source& source = work.request.sources[file];
  if (device == model::kNone)
    return refuse(work, source, "and the program has no .cu file in which device code could stand");
  std::string name = std::filesystem::path(work.request.sources[device].path).filename().string();
  work.edits.insert(file, after_includes(source.text, work.edits.first_byte(file)),
                    declared_calls(host_calls(work, needs_of(work)), name));
}

}  // namespace

void insert_sections(Work& work) {
  Index device = device_file(work);
  bool with_host_files = touches_host_files(work);
  for (Index file = 0; file < work.request.sources.size(); ++file) {
    const Source& source = work.request.sources[file];
    bool defines_calls = with_host_files && file == device;
    if (!work.edits.touches(file) && !defines_calls) continue;
    if (is_host_file(source.path)) {
      insert_declarations(work, file, device);
    } else if (!source.path.ends_with(".cu")) {
      refuse(work, source, "which is neither a .cu file nor a host file of the program; move these calls to one");
    } else {
      uint32_t first = work.edits.touches(file) ? work.edits.first_byte(file) : (uint32_t)source.text.size();
      work.edits.insert(file, after_includes(source.text, first), section_for(work, file, defines_calls));
    }
  }
}

}  // namespace cuco::rewrite
