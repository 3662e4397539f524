#include "model/build_flags.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "model/openmp.h"

namespace cuco::model {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

void add(Words& words, const char* flag, const Words& values) {
  for (const std::string& value : values) words.insert(words.end(), {flag, value});
}

// An installed toolkit: its headers would hide those that stand in for them.
bool is_toolkit(const std::string& folder) {
  std::error_code ignored;
  return std::ranges::any_of(Words{"cuda_runtime.h", "nccl.h", "mpi.h"},
                             [&](const std::string& header) { return fs::exists(fs::path(folder) / header, ignored); });
}

Words own_folders(Words folders) {
  std::erase_if(folders, is_toolkit);
  return folders;
}

void add_macros(Words& words, const BuildFlags& flags) {
  for (const std::string& definition : flags.definitions) words.push_back("-D" + definition);
  for (const std::string& name : flags.undefinitions) words.push_back("-U" + name);
  add(words, "-include", flags.forced_includes);
}

bool is_provided(const std::string& library) {
  static const Words kProvided = {"cuda",  "cudart",  "cudart_static", "cudadevrt", "nccl",       "nccl_static",
                                  "mpi",   "mpi_cxx", "mpicxx",        "mpich",     "cublas",     "cublasLt",
                                  "cufft", "curand",  "cusparse",      "cusolver",  "nvToolsExt", "nvidia-ml",
                                  "gomp",  "omp",     "iomp5"};
  return is_openmp_library(library) || std::ranges::find(kProvided, library) != kProvided.end();
}

// A line each in the text form: "KEY VALUE".
struct ListField {
  const char* key;
  Words BuildFlags::*list;
};
constexpr ListField kLists[] = {{"include_folder", &BuildFlags::include_folders},
                                {"system_include_folder", &BuildFlags::system_include_folders},
                                {"quote_folder", &BuildFlags::quote_folders},
                                {"definition", &BuildFlags::definitions},
                                {"undefinition", &BuildFlags::undefinitions},
                                {"forced_include", &BuildFlags::forced_includes},
                                {"library", &BuildFlags::libraries},
                                {"library_folder", &BuildFlags::library_folders},
                                {"nvcc_option", &BuildFlags::nvcc_options}};

Status take_line(std::string_view key, const std::string& value, BuildFlags& flags) {
  if (key == "standard")
    flags.standard = value;
  else if (key == "c_standard")
    flags.c_standard = value;
  else if (key == "region")
    flags.region = value;
  else if (auto field = std::ranges::find(kLists, key, &ListField::key); field != std::end(kLists))
    (flags.*field->list).push_back(value);
  else
    return Error{concat("'", key, "' is no build flag")};
  return Done{};
}

std::string absolute_path(const std::string& path) { return fs::absolute(path).lexically_normal().string(); }

std::string found_path(const std::string& file) {
  std::error_code ignored;
  return fs::exists(file, ignored) ? absolute_path(file) : file;
}

}  // namespace

bool is_compiled(const std::string& file) {
  std::string ending = fs::path(file).extension().string();
  return ending == ".cu" || ending == ".cpp" || ending == ".cc" || ending == ".cxx" || ending == ".c";
}

Language language_of(const std::string& file, const BuildFlags& flags) {
  bool is_cuda = file.ends_with(".cu") || file.ends_with(".cuh");
  if (is_cuda || std::ranges::find(flags.nvcc_options, kAllIsCuda) != flags.nvcc_options.end()) return Language::Cuda;
  return file.ends_with(".c") ? Language::C : Language::Cpp;
}

const std::string& standard_of(const BuildFlags& flags, Language language) {
  return language == Language::C ? flags.c_standard : flags.standard;
}

void set_standard(BuildFlags& flags, const std::string& standard) {
  (standard.find("++") == standard.npos ? flags.c_standard : flags.standard) = standard;
}

Words preprocessor_words(const BuildFlags& flags) {
  Words words;
  add(words, "-iquote", flags.quote_folders);
  add(words, "-I", own_folders(flags.include_folders));
  add(words, "-isystem", own_folders(flags.system_include_folders));
  add_macros(words, flags);
  if (has_openmp(flags)) words.emplace_back("-fopenmp");
  return words;
}

// nvcc knows no -iquote.
Words nvcc_words(const BuildFlags& flags) {
  Words words;
  add(words, "-I", flags.quote_folders);
  add(words, "-I", flags.include_folders);
  add(words, "-isystem", flags.system_include_folders);
  add_macros(words, flags);
  words.insert(words.end(), flags.nvcc_options.begin(), flags.nvcc_options.end());
  return words;
}

Words host_library_words(const BuildFlags& flags) {
  Words words;
  for (const std::string& folder : flags.library_folders) words.push_back("-L" + folder);
  for (const std::string& folder : flags.library_folders) words.push_back("-Wl,-rpath," + folder);
  for (const std::string& library : flags.libraries)
    if (!is_provided(library)) words.push_back("-l" + library);
  return words;
}

BuildFlags absolute(BuildFlags flags) {
  for (Words* folders :
       {&flags.include_folders, &flags.system_include_folders, &flags.quote_folders, &flags.library_folders})
    std::ranges::transform(*folders, folders->begin(), absolute_path);
  std::ranges::transform(flags.forced_includes, flags.forced_includes.begin(), found_path);
  for (BuildFlags& each : flags.of_files) each = absolute(std::move(each));
  return flags;
}

namespace {

// A header that was copied is found where its folder is searched, before the one that it is a copy of.
void put_copies_first(Words& folders, const Words& names, const fs::path& copies, const fs::path& original) {
  for (size_t i = 0; i < folders.size() && original.has_relative_path(); i++) {
    fs::path below = fs::path(folders[i]).lexically_normal().lexically_relative(original);
    bool holds_copy = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      fs::path inside = fs::path(name).lexically_relative(below);
      return !is_compiled(name) && (below == "." || (!inside.empty() && *inside.begin() != ".."));
    });
    if (below.empty() || *below.begin() == ".." || !holds_copy) continue;
    folders.insert(folders.begin() + static_cast<std::ptrdiff_t>(i), (copies / below).lexically_normal().string());
    i++;
  }
}

}  // namespace

BuildFlags flags_of_copies(const BuildFlags& given, const Words& names, const fs::path& copies,
                           const fs::path& folder) {
  BuildFlags flags = absolute(given);
  fs::path original = folder.empty() ? fs::path() : fs::absolute(folder).lexically_normal();
  std::vector<BuildFlags> of_files;
  for (size_t i = 0; i < names.size(); i++) {
    BuildFlags own = flags.of_file(i);
    own.of_files.clear();
    Words beside = {copies.string()};
    if (!folder.empty()) beside.push_back((original / names[i]).lexically_normal().parent_path().string());
    if (original.has_relative_path()) beside.push_back(original.string());
    own.quote_folders.insert(own.quote_folders.begin(), beside.begin(), beside.end());
    put_copies_first(own.include_folders, names, copies, original);
    of_files.push_back(std::move(own));
  }
  flags.of_files = std::move(of_files);
  return flags;
}

Words read_folders(const BuildFlags& flags) {
  Words folders;
  for (const Words* each :
       {&flags.include_folders, &flags.system_include_folders, &flags.quote_folders, &flags.library_folders})
    folders.insert(folders.end(), each->begin(), each->end());
  for (const std::string& file : flags.forced_includes)
    if (fs::path folder = fs::path(file).parent_path(); folder.is_absolute()) folders.push_back(folder.string());
  for (const BuildFlags& each : flags.of_files) {
    Words more = read_folders(each);
    folders.insert(folders.end(), more.begin(), more.end());
  }
  return folders;
}

BuildFlags without_folders(BuildFlags flags) {
  for (Words* places : {&flags.include_folders, &flags.system_include_folders, &flags.quote_folders,
                        &flags.library_folders, &flags.forced_includes})
    places->clear();
  for (BuildFlags& each : flags.of_files) each = without_folders(std::move(each));
  return flags;
}

std::string to_text(const BuildFlags& flags) {
  std::string text = concat("standard ", flags.standard, "\nc_standard ", flags.c_standard, "\n");
  if (!flags.region.empty()) text += concat("region ", flags.region, "\n");
  for (const ListField& field : kLists)
    for (const std::string& value : flags.*field.list) text += concat(field.key, " ", value, "\n");
  for (const BuildFlags& each : flags.of_files) text += concat("file\n", to_text(each));
  return text;
}

Result<BuildFlags> parse_build_flags(std::string_view text) {
  BuildFlags flags;
  for (const std::string& line : split(std::string(text), '\n')) {
    if (line.empty()) continue;
    if (line == "file") {
      flags.of_files.emplace_back();
      continue;
    }
    size_t space = std::min(line.find(' '), line.size() - 1);
    BuildFlags& filled = flags.of_files.empty() ? flags : flags.of_files.back();
    if (Status taken = take_line(std::string_view(line).substr(0, space), line.substr(space + 1), filled); !taken)
      return taken.error();
  }
  return flags;
}

std::string typed_text(const BuildFlags& flags, std::string (*quoted)(std::string_view)) {
  const BuildFlags usual;
  std::string text;
  auto add_all = [&](const char* option, const Words& values) {
    for (const std::string& value : values) text += concat(" ", option, " ", quoted(value));
  };
  add_all("-iquote", flags.quote_folders);
  add_all("-I", flags.include_folders);
  add_all("-isystem", flags.system_include_folders);
  add_all("-D", flags.definitions);
  add_all("-U", flags.undefinitions);
  add_all("-include", flags.forced_includes);
  if (flags.standard != usual.standard) text += concat(" --std ", quoted(flags.standard));
  if (flags.c_standard != usual.c_standard) text += concat(" --std ", quoted(flags.c_standard));
  add_all("-L", flags.library_folders);
  add_all("-l", flags.libraries);
  add_all("--nvcc-option", flags.nvcc_options);
  if (!flags.region.empty()) text += concat(" --region ", quoted(flags.region));
  if (!flags.database.empty()) text += concat(" -p ", quoted(flags.database));
  return text;
}

}  // namespace cuco::model
