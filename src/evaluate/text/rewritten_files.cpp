#include "evaluate/text/rewritten_files.h"

#include <algorithm>

#include "base/files.h"
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

Status add_headers(const EvaluationRequest& request, const std::vector<SourceFile>& changed,
                   std::vector<SourceFile>& files) {
  if (changed.empty()) return Done{};
  Result<std::vector<SourceFile>> headers =
      with_headers_around(request.baseline, changed, request.folder, model::read_folders(request.flags));
  if (!headers) return headers.error();
  for (const SourceFile& header : *headers) put(files, header);
  return Done{};
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
  Status added = add_headers(request, headers, files);
  if (!added) return added.error();
  for (size_t i = before.size(); i < after.size(); i++) put(files, after[i]);
  return files;
}

Result<std::vector<SourceFile>> with_headers_of(const EvaluationRequest& request, std::vector<SourceFile> files,
                                                const fs::path& candidate) {
  Result<std::vector<SourceFile>> own = included_files(files, request.folder, model::read_folders(request.flags));
  if (!own) return own.error();
  std::vector<SourceFile> changed;
  for (const SourceFile& header : *own)
    if (Result<std::string> text = read_file(candidate / header.name); text && *text != header.text)
      changed.push_back({header.name, *text});
  Status added = add_headers(request, changed, files);
  if (!added) return added.error();
  return files;
}

}  // namespace cuco::evaluate
