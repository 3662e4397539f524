// Requests for programs of this tree: workloads by folder and configuration, strangers by what their heads say.
#pragma once

#include <sstream>

#include "base/files.h"
#include "base/text.h"
#include "evaluate/sizes/proof_sizes.h"

namespace cuco::evaluate {

inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// The rest of the line "// KEY: ..." of a head; empty: there is none.
inline std::string head_of(const std::string& text, const std::string& key) {
  for (const std::string& line : split(text, '\n'))
    if (line.starts_with(concat("// ", key, ": "))) return line.substr(key.size() + 5);
  return "";
}

inline EvaluationRequest request_in(const std::filesystem::path& folder, const std::vector<std::string>& names) {
  EvaluationRequest request;
  request.tools = find_tools(share_folder().value(), RealEnvironment()).value();
  request.folder = folder;
  request.with_nvcc = false;
  for (const std::string& name : names) request.baseline.push_back({name, read_file(folder / name).value()});
  return request;
}

inline EvaluationRequest workload_request(const std::filesystem::path& folder, const std::string& configuration) {
  EvaluationRequest request = request_in(folder, {"program.cu"});
  request.configuration = find_configuration(load_workload(folder).value(), configuration).value();
  return request;
}

// `main` is the file with the head.
inline EvaluationRequest plain_request(const std::filesystem::path& main, const std::string& arguments) {
  std::string head = read_file(main).value();
  std::string files = head_of(head, "files"), ranks = head_of(head, "ranks");
  std::vector<std::string> names = words_of(files.empty() ? main.filename().string() : files);
  EvaluationRequest request = request_in(main.parent_path(), names);
  request.plain = true;
  for (const std::string& flag : words_of(head_of(head, "flags")))
    if (flag.starts_with("-I")) request.flags.include_folders.push_back((main.parent_path() / flag.substr(2)).string());
  request.configuration.profile = "a100x4-nvlink";
  if (!ranks.empty()) request.configuration.rank_count = static_cast<uint32_t>(std::stoul(ranks));
  add_arguments(words_of(arguments), request.configuration);
  return request;
}

}  // namespace cuco::evaluate
