#include "evaluate/text/rewritten_files.h"

#include <algorithm>

#include "base/text.h"
#include "evaluate/text/included_files.h"

namespace cuco::evaluate {

namespace fs = std::filesystem;

namespace {

Result<std::string> name_below(const fs::path& folder, const std::string& path) {
  fs::path name = fs::absolute(path).lexically_normal().lexically_relative(fs::absolute(folder).lexically_normal());
  if (name.empty() || *name.begin() == "..")
    return Error{concat(path, ": would have to change, and lies outside of the program's folder")};
  return name.string();
}

void put(std::vector<SourceFile>& files, const SourceFile& file) {
  auto known = std::find_if(files.begin(), files.end(), [&](const SourceFile& each) { return each.name == file.name; });
  if (known == files.end())
    files.push_back(file);
  else
    known->text = file.text;
}

}  // namespace

Result<std::vector<SourceFile>> rewritten_files(const EvaluationRequest& request, const std::vector<SourceFile>& before,
                                                const std::vector<SourceFile>& after) {
  std::vector<SourceFile> files = request.baseline, headers;
  for (size_t i = 0; i < files.size() && i < after.size(); i++) files[i].text = after[i].text;
  for (size_t i = files.size(); i < before.size() && i < after.size(); i++) {
    if (before[i].text == after[i].text) continue;
    Result<std::string> name = name_below(request.folder, before[i].name);
    if (!name) return name.error();
    headers.push_back({*name, after[i].text});
  }
  if (!headers.empty()) {
    // A header beside a changed one must find that, not the one of the original.
    Result<CarriedHeaders> carried = carried_headers(request.baseline, request.folder, request.tools.share);
    if (!carried) return carried.error();
    for (const SourceFile& header : carried->own) put(files, header);
    for (const SourceFile& header : headers) put(files, header);
  }
  for (size_t i = before.size(); i < after.size(); i++) put(files, after[i]);
  return files;
}

}  // namespace cuco::evaluate
