#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/comm_text.h"
#include "rewrite/text/host_calls.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

bool is_called_by_name(const Work& work, Index site) {
  return kind_of(work, first_call(work, site).text.file) != FileKind::Device;
}

HostCalls host_calls(Work& work) {
  HostCalls host;
  for (Index site : work.sites) {
    if (work.request.stage == Stage::Windows) continue;
    host.in_flight |= is_in_flight(work, site);
    if (is_called_by_name(work, site))
      host.calls.push_back({call_name(work, site), function_of(first_call(work, site).callee), route_of(work, site)});
  }
  host.open = open_text(work, open_options(work));
  if (work.opens_when_made)
    host.opened = concat("cuco::comm::opened<", join(paths_of(work), ", "), ">(result, ", open_options(work), ")");
  return host;
}

// What a search may change besides kernels, where the program itself does not say.
std::string evolvable_options(const Work& work) {
  if (!has_named_options(work)) return "";
  std::string options = options_of(work);
  return concat("\n// EVOLVE-BLOCK-START\n", "constexpr cuco::comm::Options ", kOptionsName, " = ",
                options.empty() ? "cuco::comm::Options()" : options, ";\n// EVOLVE-BLOCK-END\n");
}

bool is_any_source(const Work& work, bool (*is_kind)(const std::string&)) {
  return std::ranges::any_of(work.request.sources, [&](const Source& source) { return is_kind(source.path); });
}

// What a file that can hold device code includes, and the calls of the files that cannot.
std::string text_for(Work& work, bool defines_calls, bool with_options) {
  std::set<std::string> headers = headers_of(work);
  if (defines_calls) headers.insert(host_calls(work).in_flight ? "host_overlap.cuh" : "host.cuh");
  std::string text;
  for (const std::string& header : headers) text += concat("#include <cuco/comm/", header, ">\n");
  if (with_options) text += evolvable_options(work);
  return defines_calls ? concat(text, defined_calls(host_calls(work), is_any_source(work, is_c_file))) : text;
}

// The file that gets the device code of host files: the first that can hold it.
Index device_file(const Work& work) {
  for (Index file = 0; file < work.request.sources.size(); ++file)
    if (is_device_file(work.request.sources[file].path)) return file;
  return model::kNone;
}

// Where the program has none, one is added.
constexpr const char* kAddedFile = "cuco_comm.cu";
void add_device_file(Work& work) {
  work.added.push_back(
      {kAddedFile, concat("// Device code of the communication that the host files of this program ask for.\n",
                          text_for(work, true, true))});
}

bool touches_host_files(const Work& work) {
  for (Index file = 0; file < work.request.sources.size(); ++file)
    if (work.edits.touches(file) && kind_of(work, file) != FileKind::Device) return true;
  return false;
}

void insert_declarations(Work& work, Index file, Index device) {
  const Source& source = work.request.sources[file];
  std::string name = device == model::kNone
                         ? std::string(kAddedFile)
                         : std::filesystem::path(work.request.sources[device].path).filename().string();
  work.edits.insert(file, after_includes(source.text, work.edits.first_byte(file)),
                    declared_calls(host_calls(work), kind_of(work, file), name));
}

// Options stand in .cu files under a name; a header that opens communicators would bring a second one.
bool opens_in_header(const Work& work) {
  auto is_in_header = [&](const Operation& operation) {
    bool opens = operation.kind == OperationKind::CommInit || operation.kind == OperationKind::Allocate ||
                 operation.kind == OperationKind::GroupEnd;
    const std::string& path = work.request.sources[operation.text.file].path;
    return opens && kind_of(work, operation.text.file) == FileKind::Device && !is_device_file(path);
  };
  const std::vector<Operation>& operations = work.program().operations;
  return std::ranges::any_of(operations, is_in_header);
}

}  // namespace

FileKind kind_of(const Work& work, Index file) {
  bool has_host_files = is_any_source(work, is_host_file) || is_any_source(work, is_c_file);
  return kind_of_file(work.request.sources[file].path, has_host_files);
}

std::string library_name(const Work& work, Index file, const std::string& function) {
  return name_in(kind_of(work, file), function);
}

bool has_named_options(const Work& work) {
  return is_unmarked(work) && work.request.stage == Stage::Whole && !opens_in_header(work);
}

std::string open_options(const Work& work) { return has_named_options(work) ? kOptionsName : options_of(work); }

void insert_includes(Work& work) {
  Index device = device_file(work);
  bool with_host_files = touches_host_files(work);
  if (with_host_files && device == model::kNone) add_device_file(work);
  for (Index file = 0; file < work.request.sources.size(); ++file) {
    const Source& source = work.request.sources[file];
    bool defines_calls = with_host_files && file == device;
    if (!work.edits.touches(file) && !defines_calls) continue;
    if (kind_of(work, file) != FileKind::Device) {
      insert_declarations(work, file, device);
    } else {
      uint32_t first = work.edits.touches(file) ? work.edits.first_byte(file) : (uint32_t)source.text.size();
      work.edits.insert(file, after_includes(source.text, first),
                        text_for(work, defines_calls, is_device_file(source.path)));
    }
  }
}

}  // namespace cuco::rewrite
