// Where programs that cuco does not trust are built and run: bubblewrap, with no network, a read-only system, no /proc,
// one folder that can be written, a scrubbed environment, and limits on processor time, memory, processes and files.
// What can be written lies in that folder, so that memory is what processes have resident; ranks also have a /tmp of
// limited size and the machine's /dev/shm.
// All processes are in one pid namespace, whose end ends every one of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/process.h"

namespace cuco::evaluate {

enum class Confinement {
  Compiler,  // Trusted program, untrusted input: may start processes.
  Program,   // Untrusted program: one process, no sockets.
  Ranks,     // Untrusted program on GPUs, with what starts its ranks: processes, sockets among them, devices.
};

struct SandboxRequest {
  Confinement confinement = Confinement::Program;
  std::filesystem::path writable;               // The only folder that keeps what is written to it.
  std::vector<std::filesystem::path> readable;  // Besides the system's compilers and libraries.
  // Folders that are read too, without what lies in them under a name that begins with a dot: settings and secrets.
  std::vector<std::filesystem::path> readable_without_hidden;
  std::filesystem::path current;                // Where it is started; empty: in the writable folder.
  std::filesystem::path temporary;              // What is its /tmp; empty: none, or for ranks a small one in memory.
  std::vector<std::filesystem::path> shared;    // Of ranks: folders that others write to as well, such as MPS pipes.
  std::vector<std::filesystem::path> devices;   // Of ranks: files in /dev.
  uint32_t rank_count = 1;                      // Of ranks.
  bool bubblewrap = true;                       // False, at the user's wish: limits and environment only.
  uint32_t processor_s = 120;
  uint64_t memory_bytes = uint64_t{4} << 30;
  uint64_t written_bytes = uint64_t{2} << 30;
};

// The command line that runs `command` in the sandbox.
std::vector<std::string> sandbox_command(const SandboxRequest& request, const std::vector<std::string>& command);

// What a program that uses GPUs, or network cards that reach their memory, opens in /dev on this machine.
std::vector<std::filesystem::path> gpu_devices();

class Sandbox : public ProcessRunner {
 public:
  explicit Sandbox(SandboxRequest request);
  Result<ProcessOutput> run(const std::vector<std::string>& arguments, int timeout_ms,
                            const std::string& input = "") override;

 private:
  SandboxRequest request_;
  RealProcessRunner processes_;
};

// An error says why bubblewrap cannot work here and what the user can do.
Status check_sandbox(ProcessRunner& processes);

}  // namespace cuco::evaluate
