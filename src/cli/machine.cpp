#include "cli/machine.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/assert.h"
#include "base/text.h"
#include "gpu/emulated_nic.h"
#include "gpu/nccl_library.h"
#include "gpu/session/device.h"
#include "gpu/toolchain.h"

namespace cuco::cli {

namespace fs = std::filesystem;

namespace {

constexpr int kProbeMsMax = 10'000;  // nvidia-smi takes seconds where no daemon keeps the driver loaded.
constexpr const char* kNcclFix = "apt-get install libnccl2 libnccl-dev (from NVIDIA's repository)";
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
  uint32_t version = 0;  // 23007 is 2.30.7.
  bool device_api = false;
};

class Examination {
 public:
  Examination(ProcessRunner& processes, const Environment& environment)
      : processes_(processes), environment_(environment), devices_(gpu::find_devices(processes)) {}

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

  // The header is what programs are built against, the library what their ranks load.
  void nccl(std::vector<Finding>& findings) {
    std::optional<NcclHeader> header = nccl_header();
    if (!header) {
      const char* where = "nccl.h is not in NCCL_HOME, CUDA_HOME, /usr/local/cuda or /usr/include";
      for (const char* name : {"nccl", "nccl-device-api", "nccl-multi-rank"})
        findings.push_back(absent(name, where, kNcclFix));
      return;
    }
    std::optional<gpu::NcclLibrary> library = gpu::find_nccl_library({}, processes_, environment_);
    findings.push_back(nccl_installation(*header, library));
    findings.push_back(header->device_api ? present("nccl-device-api", "nccl_device.h is there")
                                          : absent("nccl-device-api", "no nccl_device.h beside nccl.h", kNcclFix));
    findings.push_back(several_ranks(library && library->version != 0 ? library->version : header->version));
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

  Finding emulated_nic() {
    Result<fs::path> plugin = gpu::find_nic_plugin(environment_);
    if (!plugin)
      return absent("emulated-nic", plugin.error().message,
                    "ninja -C build/release cuco_nic, on a machine with nvcc; or CUCO_NIC=.../libcuco_nic.so");
    std::optional<gpu::NcclLibrary> nccl = gpu::find_nccl_library({}, processes_, environment_);
    std::string detail = concat(plugin->string(), ", for NCCL 2.30");
    if (!nccl || nccl->version == 0 || nccl->version >= gpu::kNcclWithMultiRank) return present("emulated-nic", detail);
    return absent("emulated-nic", concat(detail, ", which is not ", gpu::nccl_version_text(nccl->version)),
                  gpu::nccl_from_source(devices_ ? devices_->front().architecture : ""));
  }

  // Of every rank its own thread, the NIC's and two of NCCL's spin; where they share a core they take turns of
  // milliseconds.
  Finding cores() {
    uint32_t count = core_count();
    constexpr uint32_t kOfARank = 4;
    std::string need = "ranks on several nodes want four each";
    if (count == 0) return absent("cores", concat("their number is not known; ", need), "mount /sys");
    std::string detail = concat(count, "; ", need, ": enough for ", counted(count / kOfARank, "rank"));
    if (count >= 2 * kOfARank) return present("cores", detail);
    return absent("cores", detail, "a machine with eight cores: with fewer, times of several nodes are not valid");
  }

  Finding gpu() {
    if (!devices_) return absent("gpu", devices_.error().message, "a machine with an NVIDIA GPU and its driver");
    std::map<std::string, int> counts;
    for (const gpu::Device& device : *devices_) ++counts[text_of(device)];
    std::vector<std::string> parts;
    for (const auto& [kind, count] : counts) parts.push_back(concat(count, " x ", kind));
    return present("gpu", join(parts, "; "));
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

  // "0-3,6" is five.
  uint32_t core_count() const {
    Result<std::string> online = environment_.read("/sys/devices/system/cpu/online");
    uint32_t count = 0;
    for (const std::string& range : split(online ? std::string(trim(*online)) : "", ',')) {
      if (range.empty()) continue;
      std::vector<std::string> ends = split(range, '-');
      count += static_cast<uint32_t>(std::atoi(ends.back().c_str()) - std::atoi(ends.front().c_str()) + 1);
    }
    return count;
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
      return NcclHeader{path, version_in(*text), environment_.exists(folder / "include/nccl_device.h")};
    }
    return std::nullopt;
  }

  static uint32_t version_in(const std::string& header) {
    uint32_t version = 0;
    for (const char* part : {"NCCL_MAJOR ", "NCCL_MINOR ", "NCCL_PATCH "})
      version = version * 100 + static_cast<uint32_t>(std::atoi(word_after(header, concat("#define ", part)).c_str()));
    return version;
  }

  static Finding nccl_installation(const NcclHeader& header, const std::optional<gpu::NcclLibrary>& library) {
    std::string version = gpu::nccl_version_text(header.version);
    std::string detail = concat(version, ", ", header.path.string(), ", ");
    if (!library)
      return absent("nccl", detail + "no libnccl.so.2 in $NCCL_HOME/lib, $LD_LIBRARY_PATH or the loader's folders",
                    kNcclFix);
    detail += (library->folder / "libnccl.so.2").string();
    if (library->version == 0 || library->version == header.version) return present("nccl", detail);
    return absent("nccl", concat(detail, " is ", gpu::nccl_version_text(library->version)),
                  "set NCCL_HOME to the folder of an NCCL whose include and lib belong together");
  }

  Finding several_ranks(uint32_t version) const {
    if (version >= gpu::kNcclWithMultiRank) return present("nccl-multi-rank", "several ranks can share a GPU");
    std::string architecture = devices_ ? devices_->front().architecture : "";
    return absent("nccl-multi-rank", gpu::nccl_version_text(version) + " runs one rank per GPU and refuses two",
                  gpu::nccl_from_source(architecture));
  }

  static std::string text_of(const gpu::Device& device) {
    std::string text = concat(device.name, ", ", device.architecture, ", driver ", device.driver);
    if (!device.compute_mode.empty()) text += concat(", compute mode ", device.compute_mode);
    return text;
  }

  ProcessRunner& processes_;
  const Environment& environment_;
  Result<std::vector<gpu::Device>> devices_;
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
  findings.push_back(examination.emulated_nic());
  findings.push_back(examination.cores());
  findings.push_back(examination.sandbox());
  findings.push_back(examination.slurm());
  for (const char* name : {"ANTHROPIC_API_KEY", "OPENAI_API_KEY"}) findings.push_back(examination.key(name));
  return machine;
}

}  // namespace cuco::cli
