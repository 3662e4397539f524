// A plan in words that a model can follow: every site's choice in each of the five dimensions, with what it means, and
// the rules of the device API that the chosen backends need.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "space/plan.h"

namespace cuco::agent {

std::string describe_plan(const space::Plan& plan);

// What each word of the placement means, for whoever chooses.
std::string describe_placements();

// Who reads about the API: whoever converts a program needs the set-up, whoever changes a converted one its helpers.
enum class ApiReader : uint8_t { Converts, Proposes };

// From `share`/prompts/api: what holds for every backend, then what holds for those of the plan, with kernels from
// prompts/examples that show it.
Result<std::string> load_api_rules(const std::filesystem::path& share, const space::Plan& plan, ApiReader reader);

}  // namespace cuco::agent
