#include "cli/machine.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/assert.h"
#include "base/text.h"

namespace cuco::cli {

namespace fs = std::filesystem;

namespace {

constexpr int kProbeMsMax = 10'000;  // nvidia-smi takes seconds where no daemon keeps the driver loaded.
constexpr const char* kCudaFix = "install the CUDA toolkit from NVIDIA's repository: apt-get install cuda-toolkit-13-0";

std::string first_line(const std::string& text) { return std::string(trim(split(trim(text), '\n')[0])); }

// The text after `mark` up to the next blank, comma or end of line.
std::string word_after(const std::string& text, std::string_view mark) {
  size_t at = text.find(mark);
  if (at == std::string::npos) return {};
  at += mark.size();
  return text.substr(at, text.find_first_of(", \t\r\n", at) - at);
}

struct NcclHeader {
  fs::path path;
  std::string version;
  int minor = 0;
  bool device_api = false;
};

class Examination {
 public:
  Examination(ProcessRunner& processes, const Environment& environment)
      : processes_(processes), environment_(environment) {}

  Finding compiler(const std::string& program, const std::string& version_flag, const std::string& fix) {
    std::optional<std::string> version = output_of({program, version_flag});
    if (!version) return absent(program, "not found on PATH", fix);
    return present(program, first_line(*version));
  }

  Finding nvcc() {
    for (const std::string& path : nvcc_candidates()) {
      std::optional<std::string> text = output_of({path, "--version"});
      if (text) return present("nvcc", concat(word_after(*text, "release "), ", ", path));
    }
    return absent("nvcc", "not on PATH, nor under CUDA_HOME or /usr/local/cuda", kCudaFix);
  }

  void nccl(std::vector<Finding>& findings) {
    const char* fix = "install NCCL 2.30 or later from NVIDIA's repository: apt-get install libnccl2 libnccl-dev";
    std::optional<NcclHeader> header = nccl_header();
    if (!header) {
      const char* where = "nccl.h is not in NCCL_HOME, CUDA_HOME, /usr/local/cuda or /usr/include";
      for (const char* name : {"nccl", "nccl-device-api", "nccl-multi-rank"})
        findings.push_back(absent(name, where, fix));
      return;
    }
    std::string library = nccl_library();
    std::string detail = concat(header->version, ", ", header->path.string(), ", ");
    findings.push_back(library.empty() ? absent("nccl", detail + "libnccl.so.2 is unknown to ldconfig", fix)
                                       : present("nccl", detail + library));
    findings.push_back(header->device_api ? present("nccl-device-api", "nccl_device.h is there")
                                          : absent("nccl-device-api", "no nccl_device.h beside nccl.h", fix));
    findings.push_back(header->minor >= 30
                           ? present("nccl-multi-rank", "several ranks can share a GPU")
                           : absent("nccl-multi-rank", header->version + " refuses two ranks on a GPU", fix));
  }

  Finding mpi() {
    std::optional<std::string> text = output_of({"mpirun", "--version"});
    if (!text) return absent("mpi", "mpirun not found on PATH", "apt-get install openmpi-bin libopenmpi-dev");
    std::string open_mpi = word_after(*text, "(Open MPI) ");
    if (!open_mpi.empty()) return present("mpi", "Open MPI " + open_mpi);
    if (text->find("HYDRA") != std::string::npos)
      return present("mpi", concat("MPICH ", trim(word_after(squeeze(*text), "Version: "))));
    return present("mpi", first_line(*text));
  }

  Finding mps() {
    std::optional<fs::path> path = environment_.find_program("nvidia-cuda-mps-control");
    if (path) return present("mps", path->string());
    return absent(
        "mps", "nvidia-cuda-mps-control not found on PATH",
        "comes with NVIDIA's driver: apt-get install nvidia-cuda-mps (Debian), nvidia-compute-utils-580 (Ubuntu)");
  }

  Finding gpu() {
    std::optional<std::string> text = output_of({"nvidia-smi", "-L"});
    std::map<std::string, int> counts;
    for (const std::string& line : split(text.value_or(""), '\n')) {
      size_t begin = line.find(": ");
      if (line.starts_with("GPU ") && begin != std::string::npos)
        ++counts[line.substr(begin + 2, line.find(" (UUID", begin) - begin - 2)];
    }
    if (counts.empty()) return absent("gpu", "nvidia-smi lists none", "a machine with an NVIDIA GPU and its driver");
    std::vector<std::string> parts;
    for (const auto& [name, count] : counts) parts.push_back(concat(count, " x ", name));
    return present("gpu", join(parts, ", "));
  }

  // Being installed is not enough: many kernels and containers forbid what bubblewrap needs.
  Finding sandbox() {
    Result<ProcessOutput> run = processes_.run({"bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"}, kProbeMsMax);
    if (!run) return absent("sandbox", "bwrap (bubblewrap) not found on PATH", "apt-get install bubblewrap");
    if (run->exit_code == 0) return present("sandbox", "bubblewrap works");
    return absent("sandbox", "bubblewrap is there but does not work: " + first_line(run->text),
                  "allow user namespaces: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), "
                  "kernel.unprivileged_userns_clone=1 (Debian)");
  }

  Finding slurm() {
    std::optional<std::string> text = output_of({"srun", "--version"});
    if (!text)
      return absent("slurm", "srun not found on PATH", "apt-get install slurm-client, on a machine of a Slurm cluster");
    return present("slurm", first_line(*text));
  }

  Finding key(const std::string& name) {
    if (!environment_.variable(name).value_or("").empty()) return present(name, "set");
    return absent(name, "not set", concat("export ", name, "=..."));
  }

 private:
  static Finding present(std::string name, std::string detail) {
    return {std::move(name), true, std::move(detail), ""};
  }
  static Finding absent(std::string name, std::string detail, std::string fix) {
    return {std::move(name), false, std::move(detail), std::move(fix)};
  }

  // Nothing when the program is not there or fails.
  std::optional<std::string> output_of(const std::vector<std::string>& arguments) {
    Result<ProcessOutput> run = processes_.run(arguments, kProbeMsMax);
    if (!run || run->exit_code != 0) return std::nullopt;
    return run->text;
  }

  std::vector<std::string> nvcc_candidates() const {
    std::vector<std::string> paths;
    if (std::optional<fs::path> path = environment_.find_program("nvcc")) paths.push_back(path->string());
    for (const fs::path& home : homes({"CUDA_HOME"}))
      if (environment_.exists(home / "bin/nvcc")) paths.push_back((home / "bin/nvcc").string());
    return paths;
  }

  // Folders that the variables name, then the usual one.
  std::vector<fs::path> homes(const std::vector<std::string>& variables) const {
    std::vector<fs::path> folders;
    for (const std::string& name : variables)
      if (std::optional<std::string> folder = environment_.variable(name)) folders.emplace_back(*folder);
    folders.emplace_back("/usr/local/cuda");
    return folders;
  }

  std::optional<NcclHeader> nccl_header() const {
    std::vector<fs::path> folders = homes({"NCCL_HOME", "CUDA_HOME"});
    folders.emplace_back("/usr");
    for (const fs::path& folder : folders) {
      fs::path path = folder / "include/nccl.h";
      Result<std::string> text = environment_.read(path);
      if (!text) continue;
      std::string minor = word_after(*text, "#define NCCL_MINOR ");
      std::string version =
          concat(word_after(*text, "#define NCCL_MAJOR "), ".", minor, ".", word_after(*text, "#define NCCL_PATCH "));
      return NcclHeader{path, version, std::atoi(minor.c_str()), environment_.exists(folder / "include/nccl_device.h")};
    }
    return std::nullopt;
  }

  // /sbin is on root's PATH only.
  std::string nccl_library() {
    std::optional<std::string> text = output_of({"ldconfig", "-p"});
    if (!text) text = output_of({"/sbin/ldconfig", "-p"});
    for (const std::string& line : split(text.value_or(""), '\n'))
      if (line.find("libnccl.so.2 ") != std::string::npos) return word_after(line, "=> ");
    return {};
  }

  ProcessRunner& processes_;
  const Environment& environment_;
};

}  // namespace

const Finding& Machine::find(const std::string& name) const {
  auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& each) { return each.name == name; });
  CUCO_ASSERT(found != findings.end());
  return *found;
}

Machine examine_machine(ProcessRunner& processes, const Environment& environment) {
  Examination examination(processes, environment);
  Machine machine;
  std::vector<Finding>& findings = machine.findings;
  findings.push_back(examination.compiler("g++", "-dumpfullversion", "apt-get install g++"));
  findings.push_back(examination.compiler("clang-19", "-dumpversion", "apt-get install clang-19"));
  findings.push_back(examination.nvcc());
  examination.nccl(findings);
  findings.push_back(examination.mpi());
  findings.push_back(examination.mps());
  findings.push_back(examination.gpu());
  findings.push_back(examination.sandbox());
  findings.push_back(examination.slurm());
  for (const char* name : {"ANTHROPIC_API_KEY", "OPENAI_API_KEY"}) findings.push_back(examination.key(name));
  return machine;
}

}  // namespace cuco::cli
