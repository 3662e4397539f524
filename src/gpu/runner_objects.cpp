#include "gpu/runner_objects.h"

#include <algorithm>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "gpu/time_limits.h"

namespace cuco::gpu {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSources[] = {"gpu_runner.cu", "gpu_interposed.cpp", "gpu_devices.cpp"};

// Contracted multiplications and additions would give other inputs than the host draws.
std::vector<std::string> compile_command(const RunnerRequest& request, const fs::path& source, const fs::path& object) {
  std::vector<std::string> command = {request.toolchain.nvcc.string(),
                                      "-std=c++17",
                                      "-O3",
                                      "-w",
                                      "-arch=" + request.architecture,
                                      "-fmad=false",
                                      "-DCUCO_DRAW_ON_DEVICE",
                                      "-I" + request.device_folder.string(),
                                      "-I" + request.toolchain.nccl_include.string()};
  command.insert(command.end(), request.toolchain.mpi_compile.begin(), request.toolchain.mpi_compile.end());
  command.insert(command.end(), {"-c", source.string(), "-o", object.string()});
  return command;
}

// Of all that the runner is made of: its sources and every header beside them.
Result<std::string> digest_of_sources(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(folder / "", failure), end; !failure && entry != end;
       entry.increment(failure))
    if (entry->is_regular_file(failure)) files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files) {
    CUCO_TRY(std::string text, read_file(file));
    all += concat(file.filename().string(), " ", sha256(text), "\n");
  }
  return sha256(all);
}

Status make_object(const RunnerRequest& request, const fs::path& source, const std::string& key,
                   const evaluate::Cache& cache, ProcessRunner& processes) {
  fs::path object = request.folder / source.filename().replace_extension(".o");
  if (std::optional<std::string> known = cache.find("runner", key)) return write_file(object, *known);
  Result<ProcessOutput> output = processes.run(compile_command(request, source, object), kNvccMsMax);
  if (!output) return output.error();
  if (output->exit_code != 0) return Error{concat("the runner does not build: ", trim(output->text))};
  CUCO_TRY(std::string bytes, read_file(object));
  cache.store("runner", key, bytes);
  return Done{};
}

}  // namespace

Result<std::vector<fs::path>> runner_objects(const RunnerRequest& request, const evaluate::Cache& cache,
                                             ProcessRunner& processes) {
  CUCO_TRY(std::string digest, digest_of_sources(request.device_folder / "cuco"));
  const Toolchain& toolchain = request.toolchain;
  std::string setting = concat(digest, " ", request.architecture, " ", toolchain.nvcc.string(), " ", toolchain.cuda,
                               " ", toolchain.nccl_version, " ", toolchain.mpi, " ", join(toolchain.mpi_compile, " "));
  std::vector<fs::path> objects;
  for (const char* name : kSources) {
    fs::path source = request.device_folder / "cuco" / name;
    std::string key = sha256(concat(setting, " ", name));
    CUCO_CHECK(make_object(request, source, key, cache, processes));
    objects.push_back(request.folder / source.filename().replace_extension(".o"));
  }
  return objects;
}

std::vector<std::string> link_arguments(const Toolchain& toolchain) {
  fs::path cuda = toolchain.nvcc.parent_path().parent_path() / "lib64";
  std::string nccl = toolchain.nccl_library.string();
  // The driver's library is there at run time only; its stub is linked where it is missing.
  std::vector<std::string> arguments = {"-cudart",         "shared", "-L" + nccl,
                                        "-l:libnccl.so.2", "-ldl",   "-L" + (cuda / "stubs").string()};
  for (const std::string& folder : {nccl, cuda.string()})
    arguments.insert(arguments.end(), {"-Xlinker", "-rpath", "-Xlinker", folder});
  arguments.insert(arguments.end(), toolchain.mpi_link.begin(), toolchain.mpi_link.end());
  return arguments;
}

}  // namespace cuco::gpu
