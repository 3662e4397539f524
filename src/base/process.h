// Running other programs. The interface is abstract so that whatever depends on the machine can be tested with a fake.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace cuco {

struct ProcessOutput {
  int exit_code = 0;  // 128 + signal when killed by one.
  std::string text;   // Standard output and standard error, interleaved.
};

class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  // An error means that the program could not be started, or was killed with all that it had started because it did not
  // end in time or went beyond a limit. `input` is what it can read from its standard input, once, and at most 1 MiB.
  virtual Result<ProcessOutput> run(const std::vector<std::string>& arguments, int timeout_ms,
                                    const std::string& input = "") = 0;
};

// Zero is no limit. Those of the first group hold for each process, those of the second for a process and all that
// descend from it, which are looked at every few milliseconds.
struct ProcessLimits {
  uint32_t processor_s = 0;
  uint64_t file_bytes = 0;
  uint32_t open_files = 0;

  uint64_t resident_bytes = 0;
  uint32_t process_count = 0;
  std::filesystem::path folder;  // Whose contents may not grow beyond folder_bytes.
  uint64_t folder_bytes = 0;

  bool scrub_environment = false;  // Leave only PATH and LANG.
  bool fix_addresses = false;      // No randomisation of the address space.
  std::string inherited;           // Can be read from descriptor kInheritedDescriptor; empty: there is none.
};

constexpr int kInheritedDescriptor = 9;

class RealProcessRunner : public ProcessRunner {
 public:
  explicit RealProcessRunner(ProcessLimits limits = {}) : limits_(std::move(limits)) {}
  Result<ProcessOutput> run(const std::vector<std::string>& arguments, int timeout_ms,
                            const std::string& input = "") override;

 private:
  ProcessLimits limits_;
};

// Makes every run that is under way, and all later ones, end with an error. May be called from a signal handler.
void interrupt_processes();
bool processes_interrupted();

}  // namespace cuco
