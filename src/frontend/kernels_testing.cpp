#include "frontend/kernels_testing.h"

#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "frontend/kernels.h"
#include "frontend/parse.h"

namespace cuco::frontend {
namespace {

std::string access_text(const model::KernelPointer& pointer) {
  static constexpr std::string_view kWords[] = {"untouched", "read", "write", "read_write"};
  return concat(pointer.name, " ", kWords[static_cast<size_t>(pointer.access)], pointer.assumed ? "?" : "");
}

std::string shared_text(const model::SharedVariable& shared) {
  return shared.bytes ? concat(shared.name, "=", *shared.bytes) : shared.name + "=extern";
}

std::string launch_bounds_text(const model::Kernel& kernel) {
  return concat("launch_bounds(", kernel.max_threads, kernel.min_blocks.empty() ? "" : ", ", kernel.min_blocks, ")");
}

std::string line_of(const model::Kernel& kernel) {
  std::vector<std::string> pointers, shared, calls;
  for (const model::KernelPointer& pointer : kernel.pointers) pointers.push_back(access_text(pointer));
  for (const model::SharedVariable& variable : kernel.shared) shared.push_back(shared_text(variable));
  for (const model::DeviceCommCall& call : kernel.communication)
    calls.push_back(concat(model::name_of(call.kind), " ", call.callee, "@", call.range.line,
                           call.by_some_blocks ? " by some blocks" : ""));
  std::vector<std::string> parts = {concat(kernel.name, ": ", join(pointers, ", "))};
  if (!shared.empty()) parts.push_back("shared " + join(shared, " "));
  if (kernel.block_barriers > 0) parts.push_back(concat("barriers ", kernel.block_barriers));
  if (kernel.grid_barrier) parts.push_back("grid barrier");
  if (!calls.empty()) parts.push_back("comm " + join(calls, ", "));
  if (!kernel.max_threads.empty()) parts.push_back(launch_bounds_text(kernel));
  return join(parts, "; ");
}

std::string text_of(const model::Kernel& kernel, const std::string& code) {
  const model::SourceRange& range = kernel.range;
  return concat(range.editable ? "" : "fixed ", "|", code.substr(range.begin_byte, range.end_byte - range.begin_byte),
                "|");
}

using LineMaker = llvm::function_ref<std::string(const model::Kernel&)>;

std::string lines_of(const std::vector<ParsedFile>& files, LineMaker make_line) {
  KernelTable table;
  FileTable paths;
  for (const ParsedFile& file : files) collect_kernels(Locations(file.unit->getASTContext(), paths), table);
  std::vector<std::string> lines;
  for (const model::Kernel& kernel : table.kernels) lines.push_back(make_line(kernel));
  return join(lines, "\n");
}

std::string kernel_lines(const std::string& code, const std::filesystem::path& share, LineMaker make_line) {
  std::filesystem::path path = std::filesystem::temp_directory_path() / concat("cuco_kernels_", getpid(), ".cu");
  if (Status written = write_file(path, code); !written) return written.error().message;
  std::string text = "crashed";
  run_guarded([&] {
    ParseRequest request;
    request.files = {path.string()};
    request.share = share;
    Result<std::vector<ParsedFile>> files = parse_files(request);
    text = files ? lines_of(*files, make_line) : files.error().message;
  });
  std::filesystem::remove(path);
  return text;
}

}  // namespace

std::string describe_kernels(const std::string& code, const std::filesystem::path& share) {
  return kernel_lines(code, share, line_of);
}

std::string kernel_texts(const std::string& code, const std::filesystem::path& share) {
  return kernel_lines(code, share, [&](const model::Kernel& kernel) { return text_of(kernel, code); });
}

}  // namespace cuco::frontend
