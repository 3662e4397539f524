#include <filesystem>

#include "base/text.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/comm_text.h"
#include "rewrite/text/host_calls.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

using model::Index;

bool is_in_host_file(const Work& work, Index site) {
  return is_host_file(work.request.sources[first_call(work, site).range.file].path);
}

HostCalls host_calls(Work& work) {
  HostCalls host;
  for (Index site : work.sites) {
    if (work.request.stage == Stage::Windows) continue;
    host.in_flight |= is_in_flight(work, site);
    if (is_in_host_file(work, site))
      host.calls.push_back({call_name(work, site), function_of(first_call(work, site).callee), route_of(work, site)});
  }
  host.open = open_text(work, open_options(work));
  return host;
}

// What a search may change besides kernels, where the program itself does not say.
std::string evolvable_options(const Work& work) {
  if (!has_named_options(work)) return "";
  std::string options = options_of(work);
  return concat("\n// EVOLVE-BLOCK-START\n",
                "// Set-up gives kernels of your own signals(n), barriers(n), contexts(n) and scratch(bytes).\n",
                "constexpr cuco::comm::Options ", kOptionsName, " = ",
                options.empty() ? "cuco::comm::Options()" : options, ";\n// EVOLVE-BLOCK-END\n");
}

std::string text_for(Work& work, bool defines_calls) {
  std::set<std::string> headers = headers_of(work);
  if (defines_calls) headers.insert(host_calls(work).in_flight ? "host_overlap.cuh" : "host.cuh");
  std::string text = "\n";
  for (const std::string& header : headers) text += concat("#include <cuco/comm/", header, ">\n");
  text += evolvable_options(work);
  return defines_calls ? concat(text, defined_calls(host_calls(work))) : text;
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
                    declared_calls(host_calls(work), name));
}

}  // namespace

bool has_named_options(const Work& work) { return is_unmarked(work) && work.request.stage == Stage::Whole; }

std::string open_options(const Work& work) { return has_named_options(work) ? kOptionsName : options_of(work); }

void insert_includes(Work& work) {
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
      work.edits.insert(file, after_includes(source.text, first), text_for(work, defines_calls));
    }
  }
}

}  // namespace cuco::rewrite
