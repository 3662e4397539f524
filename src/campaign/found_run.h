// How a command finds the run that it is about, and the words in which runs are shown.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "store/store.h"

namespace cuco::campaign {

// Errors name the runs there are.
Result<std::filesystem::path> find_run(const std::string& given);

// For reading; another process may be at work on it.
Result<store::Store> open_run(const std::string& given);

// "23", "#23", "best" or "baseline". An error says which ids there are.
Result<store::Id> find_candidate(const store::Store& store, const std::string& given);

enum class RunState : uint8_t { Running, Stopped, Finished };
RunState state_of(const std::filesystem::path& folder, const store::Overview& overview);
const char* to_text(RunState state);

// "18.42 ms", "13.9 us"; "-" where there is none.
std::string time_text(const std::optional<double>& time_us);

// Of what passed, against the baseline.
std::optional<double> speedup(const store::Overview& overview, const std::optional<store::Judgement>& judgement);
std::string speedup_text(const std::optional<double>& ratio);

void write_optional(JsonWriter& json, const char* name, const std::optional<double>& value);

}  // namespace cuco::campaign
