#include "gpu/toolchain.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "gpu/nccl_library.h"
#include "gpu/time_limits.h"

namespace cuco::gpu {

namespace fs = std::filesystem;

namespace {

// What the program printed, or nothing when it failed.
std::string printed(ProcessRunner& processes, const std::vector<std::string>& command) {
  Result<ProcessOutput> output = processes.run(command, kProbeMsMax);
  return output && output->exit_code == 0 ? std::string(trim(output->text)) : "";
}

Result<fs::path> find_nvcc(const Environment& environment) {
  if (std::optional<fs::path> path = environment.find_program("nvcc")) return *path;
  for (const std::string& home : {environment.variable("CUDA_HOME").value_or(""), std::string("/usr/local/cuda")})
    if (!home.empty() && environment.exists(fs::path(home) / "bin/nvcc")) return fs::path(home) / "bin/nvcc";
  return Error{
      "nvcc is not here: it is neither in PATH nor under $CUDA_HOME nor in /usr/local/cuda; install the CUDA "
      "toolkit or set CUDA_HOME"};
}

// "Cuda compilation tools, release 13.0, V13.0.88" -> "13.0".
std::string release_in(const std::string& text) {
  constexpr std::string_view kMark = "release ";
  size_t at = text.find(kMark);
  if (at == text.npos) return "";
  size_t begin = at + kMark.size();
  return text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
}

struct NcclPlace {
  fs::path include, library;
};

// $NCCL_HOME is a wish: nothing else is looked at when it is set.
std::vector<NcclPlace> nccl_places(const Environment& environment, const fs::path& nvcc) {
  std::string home = environment.variable("NCCL_HOME").value_or("");
  std::vector<fs::path> roots = {nvcc.parent_path().parent_path(), "/usr/local/cuda", "/usr", "/usr/local"};
  if (!home.empty()) roots = {home};
  std::vector<NcclPlace> places;
  for (const fs::path& root : roots)
    for (const char* library : {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"})
      places.push_back({root / "include", root / library});
  return places;
}

bool is_there(const NcclPlace& place, const Environment& environment) {
  return environment.exists(place.include / "nccl.h") && environment.exists(place.library / "libnccl.so.2");
}

Result<NcclPlace> find_nccl(const Environment& environment, const fs::path& nvcc) {
  for (const NcclPlace& place : nccl_places(environment, nvcc))
    if (is_there(place, environment)) return place;
  std::string home = environment.variable("NCCL_HOME").value_or("");
  if (!home.empty())
    return Error{
        concat("NCCL is not in NCCL_HOME=", home, ": include/nccl.h and lib/libnccl.so.2 are looked for there")};
  return Error{
      "NCCL is not here: nccl.h and libnccl.so.2 are neither beside nvcc nor in /usr; install libnccl-dev or set "
      "NCCL_HOME"};
}

// The library is asked for its name, else for the line that it prints about itself, which it carries as text.
uint32_t library_version(ProcessRunner& processes, const fs::path& folder) {
  fs::path library = folder / "libnccl.so.2";
  fs::path real = printed(processes, {"readlink", "-f", library.string()});
  if (uint32_t version = nccl_version_in_name(real.filename().string())) return version;
  std::string line =
      printed(processes, {"grep", "-a", "-o", "-m", "1", "NCCL version [0-9]*[.][0-9]*[.][0-9]*", library.string()});
  constexpr std::string_view kMark = "NCCL version ";
  if (!line.starts_with(kMark)) return 0;
  return nccl_version_in_name(concat("libnccl.so.", split(line.substr(kMark.size()), '\n')[0]));
}

Status take_nccl(ProcessRunner& processes, const Environment& environment, Toolchain& toolchain) {
  CUCO_TRY(NcclPlace place, find_nccl(environment, toolchain.nvcc));
  toolchain.nccl_include = place.include;
  toolchain.nccl_library = place.library;
  CUCO_TRY(std::string header, environment.read(place.include / "nccl.h"));
  uint32_t in_header = nccl_version_in_header(header);
  uint32_t in_library = library_version(processes, place.library);
  toolchain.nccl_version = in_library ? in_library : in_header;
  if (in_library == 0 || in_library / 100 == in_header / 100) return Done{};
  return Error{concat(place.include.string(), "/nccl.h is of NCCL ", nccl_version_text(in_header), ", but ",
                      place.library.string(), "/libnccl.so.2 is ", nccl_version_text(in_library),
                      "; set NCCL_HOME to a folder with both of one version")};
}

bool is_link_argument(const std::string& word) {
  return word.starts_with("-L") || word.starts_with("-l") || word.starts_with("-Wl,") || word.starts_with("-rpath");
}

void add_mpi_word(const std::string& word, Toolchain& toolchain) {
  std::vector<std::string> translated = nvcc_arguments(word);
  std::vector<std::string>& to = is_link_argument(word) ? toolchain.mpi_link : toolchain.mpi_compile;
  to.insert(to.end(), translated.begin(), translated.end());
  if (word == "-pthread") toolchain.mpi_link.insert(toolchain.mpi_link.end(), translated.begin(), translated.end());
}

// The whole command of MPI's compiler: the first word is the compiler that it calls. The C++ bindings, which MPI
// dropped in 2012, are left out.
void take_mpi_command(const std::string& command, Toolchain& toolchain) {
  std::vector<std::string> words = words_of(command);
  for (size_t i = 1; i < words.size(); i++)
    if (words[i] != "-lmpi_cxx") add_mpi_word(words[i], toolchain);
}

Status take_mpi(ProcessRunner& processes, Toolchain& toolchain) {
  if (std::string command = printed(processes, {"mpicxx", "--showme"}); !command.empty()) {
    take_mpi_command(command, toolchain);
    std::string version = printed(processes, {"mpicxx", "--showme:version"});
    size_t at = version.find("Open MPI");
    toolchain.mpi = at == version.npos ? "Open MPI" : version.substr(at, version.find(" (", at) - at);
    return Done{};
  }
  std::string command = printed(processes, {"mpicxx", "-show"});
  if (command.empty())
    return Error{"MPI is not here: mpicxx cannot be run; install openmpi-bin and libopenmpi-dev, or another MPI"};
  take_mpi_command(command, toolchain);
  toolchain.mpi = "MPICH";
  return Done{};
}

}  // namespace

std::vector<std::string> nvcc_arguments(const std::string& word) {
  if (word.starts_with("-Wl,")) {
    std::vector<std::string> translated;
    for (const std::string& part : split(word.substr(4), ',')) {
      translated.push_back("-Xlinker");
      translated.push_back(part);
    }
    return translated;
  }
  if (word.starts_with("-I") || word.starts_with("-D") || word.starts_with("-L") || word.starts_with("-l"))
    return {word};
  return {"-Xcompiler", word};
}

Result<Toolchain> find_toolchain(ProcessRunner& processes, const Environment& environment) {
  Toolchain toolchain;
  Result<fs::path> nvcc = find_nvcc(environment);
  if (!nvcc) return nvcc.error();
  toolchain.nvcc = *nvcc;
  toolchain.cuda = release_in(printed(processes, {nvcc->string(), "--version"}));
  if (toolchain.cuda.empty()) return Error{concat(nvcc->string(), " --version names no release")};
  CUCO_CHECK(take_nccl(processes, environment, toolchain));
  CUCO_CHECK(take_mpi(processes, toolchain));
  return toolchain;
}

}  // namespace cuco::gpu
