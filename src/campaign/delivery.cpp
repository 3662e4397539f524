#include "campaign/delivery.h"

#include <algorithm>

#include "base/diff.h"
#include "base/files.h"
#include "base/own_files.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "evaluate/text/included_files.h"
#include "gpu/program.h"

namespace cuco::campaign {

namespace fs = std::filesystem;

namespace {

using Files = std::vector<SourceFile>;

const fs::path& program_folder(const evaluate::EvaluationRequest& request) { return request.folder; }

// As short as it can be typed here.
std::string shown(const fs::path& path) {
  fs::path near = path.lexically_proximate(fs::current_path());
  return shell_word((near.empty() || *near.begin() == ".." ? path : near).string());
}

bool includes(const Files& files, std::string_view name) {
  return std::ranges::any_of(files, [&](const SourceFile& file) {
    return std::ranges::any_of(evaluate::includes_of(file.text),
                               [&](const evaluate::Include& include) { return include.name == name; });
  });
}

bool leaves_the_folder(const Files& files) {
  return std::ranges::any_of(files, [](const SourceFile& file) {
    return std::ranges::any_of(evaluate::includes_of(file.text), [&](const evaluate::Include& include) {
      return (fs::path(file.name).parent_path() / include.name).lexically_normal().string().starts_with("..");
    });
  });
}

// What the compiler has to know besides the sources.
struct Build {
  const evaluate::EvaluationRequest& request;
  const Files& all;                   // Sources and headers.
  std::vector<fs::path> folders;      // That come with the program.
  std::vector<std::string> searched;  // The user's; before each that headers were copied from, the one of the copies.
  std::vector<std::string> sources;
};

std::string command_of(const Build& build, const std::string& architecture) {
  const evaluate::EvaluationRequest& request = build.request;
  std::string command = concat("nvcc -std=", request.flags.standard, " -arch=", architecture);
  if (includes(build.all, "mpi.h")) command += " -ccbin mpicxx";
  for (const fs::path& folder : build.folders) command += concat(" -I ", shown(folder));
  for (const std::string& folder : build.searched) command += concat(" -I ", shown(folder));
  for (const std::string& folder : request.flags.system_include_folders) command += concat(" -isystem ", shown(folder));
  if (includes(build.all, "cuco/harness.h")) command += concat(" -I ", shown(request.tools.share / "device"));
  for (const std::string& definition : request.flags.definitions) command += concat(" -D ", shell_word(definition));
  for (const std::string& name : request.flags.undefinitions) command += concat(" -U ", shell_word(name));
  for (const std::string& file : request.flags.forced_includes) command += concat(" -include ", shown(file));
  for (const std::string& option : request.flags.nvcc_options) command += concat(" ", shell_word(option));
  for (const std::string& source : build.sources) command += concat(" ", source);
  command += concat(" -o ", shell_word(fs::path(request.baseline.front().name).stem().string()), " -lnccl");
  std::vector<std::string> known = gpu::libraries_of(build.all);
  for (const std::string& library : known) command += concat(" ", library);
  for (const std::string& folder : request.flags.library_folders) command += concat(" -L ", shown(folder));
  for (const std::string& name : request.flags.libraries)
    if (std::string library = concat("-l", shell_word(name)); library != "-lnccl" && !std::ranges::count(known, library))
      command += concat(" ", library);
  return command;
}

Result<fs::path> checked_place(const fs::path& given, Form form, size_t file_count) {
  fs::path place = given.lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  if (place.empty() || place == "." || place.filename() == "..")
    return Error{concat(given.string(), ": names no folder of its own; choose one that is not there")};
  bool is_source = place.extension() == ".cu" || place.extension() == ".cpp";
  if (form == Form::Folder && is_source)
    return Error{concat(given.string(), ": the program is written to a folder; choose a name without ",
                        place.extension().string(), ", or one file with --single-file")};
  if (form == Form::SingleFile && file_count > 1)
    return Error{concat("--single-file: the program has ", file_count, " files; it can only be written to a folder")};
  return place;
}

Status check_names(const Files& program) {
  for (const SourceFile& file : program)
    if (fs::path name = fs::path(file.name).lexically_normal(); name.is_absolute() || *name.begin() == "..")
      return Error{
          concat(file.name, ": lies outside of the program's folder, so it has no place in the one that is written")};
  return Done{};
}

std::vector<std::string> searched_folders(const evaluate::EvaluationRequest& request, const Files& all,
                                          const fs::path& place) {
  std::vector<std::string> names;
  for (const SourceFile& file : all) names.push_back(file.name);
  model::BuildFlags flags = request.flags;
  flags.of_files.clear();
  return model::flags_of_copies(flags, names, place, request.folder).of_file(0).include_folders;
}

std::string folder_of(const std::string& name) {
  size_t slash = name.rfind('/');
  return slash == name.npos ? "" : name.substr(0, slash + 1);
}

}  // namespace

Result<Delivery> Delivery::make(const evaluate::EvaluationRequest& request, const Files& program, const fs::path& given,
                                Form form) {
  Result<fs::path> place = checked_place(given, form, program.size());
  if (!place) return place.error();
  if (Status fine = check_names(program); !fine) return fine.error();
  Result<model::HardwareProfile> profile =
      evaluate::profile_of(request.configuration, request.tools.share / "profiles");
  if (!profile) return profile.error();
  Result<evaluate::CarriedHeaders> headers =
      evaluate::carried_headers(program, program_folder(request), request.tools.share);
  if (!headers) return headers.error();
  Files all = program;
  all.insert(all.end(), headers->own.begin(), headers->own.end());
  Delivery delivery(*place, form);
  Build build{request, all, {}, request.flags.include_folders, {}};
  if (form == Form::SingleFile) {
    delivery.add(place->filename().string(), evaluate::with_headers_inside(program.front(), headers->library));
    build.sources = {shown(*place)};
    if (!headers->own.empty()) build.folders = {program_folder(request)};
  } else {
    delivery.add_folder(request, all, headers->library);
    for (const SourceFile& file : program)
      if (model::is_compiled(file.name)) build.sources.push_back(shown(*place / file.name));
    build.folders = {*place};
    build.searched = searched_folders(request, all, *place);
    if (leaves_the_folder(all)) build.folders.push_back(program_folder(request));
  }
  delivery.build_command_ = command_of(build, profile->gpu.architecture);
  return delivery;
}

void Delivery::add_folder(const evaluate::EvaluationRequest& request, const Files& own, const Files& library) {
  auto name_of = [this](const SourceFile& file) { return (place_.filename() / file.name).lexically_normal().string(); };
  for (const Files* files : {&library, &own})
    for (const SourceFile& file : *files) add(name_of(file), file.text);
  const Files& baseline = request.baseline;
  for (size_t i = 0; i < own.size(); ++i) {
    bool is_source = i < baseline.size();
    Result<std::string> before = is_source ? baseline[i].text : read_file(request.folder / own[i].name);
    if (before && (is_source || *before != own[i].text))
      changes_[name_of(own[i])] = to_text(count_changes(*before, own[i].text));
  }
}

std::string Delivery::stem() const { return (form_ == Form::SingleFile ? place_.stem() : place_.filename()).string(); }

fs::path Delivery::list() const { return place_.parent_path() / (stem() + ".sha256"); }

void Delivery::add_beside(const std::string& extension, const std::string& text) { add(stem() + extension, text); }

Status Delivery::check() const {
  std::vector<std::string> names;
  for (const auto& [name, text] : texts_) names.push_back(name);
  return check_own_files(list(), names);
}

Status Delivery::write() const { return write_own_files(list(), texts_); }

std::vector<std::string> Delivery::listing() const {
  std::map<std::string, std::vector<std::string>> folders;
  for (const auto& [name, text] : texts_) {
    auto change = changes_.find(name);
    folders[folder_of(name)].push_back(fs::path(name).filename().string() +
                                       (change == changes_.end() ? "" : concat(" (", change->second, ")")));
  }
  auto line = [this](const std::string& folder, const std::vector<std::string>& names) {
    std::string path = (place_.parent_path() / folder).string();
    return concat(path, path.empty() ? "" : ": ", join(names, ", "));
  };
  std::vector<std::string> beside = folders.extract("").mapped(), lines;
  beside.push_back(list().filename().string());
  for (const auto& [folder, names] : folders) lines.push_back(line(folder, names));
  lines.push_back(line("", beside));
  return lines;
}

std::string library_words(const Files& headers) {
  if (headers.empty()) return "";
  size_t lines = 0;
  for (const SourceFile& header : headers) lines += static_cast<size_t>(std::ranges::count(header.text, '\n'));
  return concat(counted(headers.size(), "header"), " of cuco, ", counted(lines, "line"));
}

}  // namespace cuco::campaign
