#include "gpu/nccl_library.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/text.h"
#include "gpu/time_limits.h"

namespace cuco::gpu {

namespace fs = std::filesystem;

namespace {

constexpr const char* kName = "libnccl.so.2";

// libnccl.so.2 is a link to libnccl.so.2.30.7.
uint32_t version_of_link(const fs::path& library) {
  std::error_code failure;
  return nccl_version_in_name(fs::weakly_canonical(library, failure).filename().string());
}

uint32_t number_after(const std::string& text, const std::string& mark) {
  size_t at = text.find(mark);
  return at == text.npos ? 0 : static_cast<uint32_t>(std::strtoul(text.c_str() + at + mark.size(), nullptr, 10));
}

uint32_t version_in_header(const fs::path& folder, const Environment& environment) {
  Result<std::string> header = environment.read(folder.parent_path() / "include/nccl.h");
  return header ? nccl_version_in_header(*header) : 0;
}

std::optional<NcclLibrary> library_in(const fs::path& folder, const Environment& environment) {
  if (folder.empty() || !environment.exists(folder / kName)) return std::nullopt;
  uint32_t version = version_of_link(folder / kName);
  return NcclLibrary{folder, version != 0 ? version : version_in_header(folder, environment)};
}

// /sbin is on root's PATH only.
std::string loader_cache(ProcessRunner& processes) {
  for (const char* program : {"ldconfig", "/sbin/ldconfig"})
    if (Result<ProcessOutput> run = processes.run({program, "-p"}, kProbeMsMax); run && run->exit_code == 0)
      return run->text;
  return {};
}

std::optional<NcclLibrary> library_of_loader(ProcessRunner& processes, const Environment& environment) {
  for (const std::string& line : split(loader_cache(processes), '\n')) {
    size_t arrow = line.find("=> ");
    if (line.find(concat(kName, " ")) == std::string::npos || arrow == std::string::npos) continue;
    fs::path file = std::string(trim(line.substr(arrow + 3)));
    uint32_t version = version_of_link(file);
    if (version == 0) version = version_in_header(file.parent_path(), environment);
    return NcclLibrary{file.parent_path(), version, true};
  }
  return std::nullopt;
}

}  // namespace

std::optional<NcclLibrary> find_nccl_library(const fs::path& folder, ProcessRunner& processes,
                                             const Environment& environment) {
  if (!folder.empty()) return library_in(folder, environment);
  std::vector<fs::path> folders;
  if (std::optional<std::string> home = environment.variable("NCCL_HOME"); home && !home->empty())
    folders.push_back(fs::path(*home) / "lib");
  for (const std::string& each : split(environment.variable("LD_LIBRARY_PATH").value_or(""), ':'))
    folders.emplace_back(each);
  for (const fs::path& each : folders)
    if (std::optional<NcclLibrary> found = library_in(each, environment)) return found;
  return library_of_loader(processes, environment);
}

uint32_t nccl_version_in_header(const std::string& header) {
  uint32_t code = number_after(header, "#define NCCL_VERSION_CODE ");
  if (code > 0) return code;
  return number_after(header, "#define NCCL_MAJOR ") * 10000 + number_after(header, "#define NCCL_MINOR ") * 100 +
         number_after(header, "#define NCCL_PATCH ");
}

uint32_t nccl_version_in_name(const std::string& name) {
  std::vector<std::string> parts = split(name, '.');
  if (parts.size() != 5) return 0;
  uint32_t version = 0;
  for (size_t i = 2; i < 5; i++) {
    bool is_number = !parts[i].empty() &&
                     std::all_of(parts[i].begin(), parts[i].end(), [](unsigned char c) { return std::isdigit(c); });
    if (!is_number) return 0;
    version = version * 100 + static_cast<uint32_t>(std::stoul(parts[i]));
  }
  return version;
}

std::string nccl_version_text(uint32_t version) {
  return concat(version / 10'000, ".", version / 100 % 100, ".", version % 100);
}

std::string nccl_from_source(const std::string& architecture) {
  std::string number = architecture.starts_with("sm_") ? architecture.substr(3) : "XX";
  return concat(
      "build NCCL 2.30 or later from source: git clone https://github.com/NVIDIA/nccl && cd nccl && make -j src.build "
      "NVCC_GENCODE=-gencode=arch=compute_",
      number, ",code=sm_", number, " && export NCCL_HOME=$PWD/build");
}

}  // namespace cuco::gpu
