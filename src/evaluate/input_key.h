// The secret that inputs are drawn from: 32 random bytes, written as 64 hexadecimal digits. The sandbox never sees it,
// so whoever writes a candidate cannot draw what its peers are given. A campaign keeps its own; elsewhere the machine's
// is used, which is made when it is first asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace cuco::evaluate {

bool is_input_key(const std::string& text);

// The machine's, in a file of the folder that nobody but the user can read. Without a folder, one for this time.
Result<std::string> machine_input_key(const std::filesystem::path& folder);

// What a run is given instead: it tells nothing about the runs of other baselines and seeds. The empty input key is
// for runs of baselines whose results must be the same everywhere.
std::string run_key_of(const std::string& input_key, const std::string& baseline_digest, uint64_t seed);

}  // namespace cuco::evaluate
