// A workload: a program that uses the harness, and the sizes and machines it is run at. A folder with program.cu (and
// other sources) and workload.toml:
//
//   summary = "one line"
//   files = ["program.cu"]                  # Optional; this is the default.
//   plain = false                           # Optional; true: the program does not use the harness.
//   arguments = ["-n", "96"]                # Optional: what the program gets, in this order.
//   demo = "3to1-tensor"                    # Optional: the configuration that shows what cuco does in a few minutes.
//   profile = "a100-2node-roce"
//   ranks = 2
//   nodes = 2
//   [parameters]                            # Defaults of all configurations: name=value arguments of the program.
//   hidden = 7168
//
//   [build]                                 # Optional: how the files are compiled (workload_build.h).
//   include_folders = ["include"]
//
//   [config.3to1-tensor]                    # A case: a size that is run.
//   parameters = { tensor = 1 }
//   proof = [{ hidden = 128 }, { hidden = 96 }]        # Optional: where candidates are executed whole, instead of
//                                                      # sizes that are found (proof_size.h).
//   published = { host_ms = 143.5, best_ms = 118.0 }   # Optional: what others measured, for tables beside ours.
//
// A configuration may override ranks, nodes, profile and arguments.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/build_flags.h"
#include "model/profile.h"

namespace cuco::evaluate {

struct Published {
  double host_ms = 0, best_ms = 0;
};

struct Configuration {
  std::string name;
  std::string profile;  // A name in profiles/ or a path.
  uint32_t rank_count = 2;
  uint32_t node_count = 1;
  std::optional<model::Network> network;                    // Between nodes, instead of the profile's.
  std::vector<std::pair<std::string, int64_t>> parameters;  // NAME=NUMBER arguments of the program.
  std::vector<std::string> arguments;  // All of its arguments, where it has others too; see program_arguments().
  std::vector<std::string> proofs;     // Sizes as --proof takes them, "hidden=128"; none: they are found.
  std::optional<Published> published;
  std::string file;  // workload.toml; empty when there is none.
  int line = 0;      // Of its table there.
};

struct Workload {
  std::string name;  // The folder's.
  std::string summary;
  std::filesystem::path folder;
  std::vector<std::filesystem::path> files;
  model::BuildFlags flags;                    // With absolute folders; those that are given come on top.
  bool plain = false;                         // The program does not use the harness.
  std::string demo;                           // Name of a configuration; empty: none.
  std::vector<Configuration> configurations;  // In the file's order; at least one.
};

// Errors start with file:line: and say what would be right.
Result<Workload> load_workload(const std::filesystem::path& folder);
Result<Workload> parse_workload(const std::filesystem::path& folder, const std::string& toml_text);

// The program's command line: its arguments in their order, with the values that the parameters have, and parameters
// that are not among them behind.
std::vector<std::string> program_arguments(const Configuration& configuration);
// An error names a parameter that is given twice, with two values.
Status check_arguments(const std::vector<std::string>& given);
// Arguments that were given for one run: those that set a parameter do so, the others come behind what there is.
void add_arguments(const std::vector<std::string>& given, Configuration& configuration);

// By name; an error lists the names there are.
Result<Configuration> find_configuration(const Workload& workload, const std::string& name);

// The profile that a configuration runs on: loaded, with the configuration's network.
Result<model::HardwareProfile> profile_of(const Configuration& configuration, const std::filesystem::path& profiles);

}  // namespace cuco::evaluate
