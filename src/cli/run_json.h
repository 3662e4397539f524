// Candidates of a run as JSON, for 'show' and 'export'.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.h"
#include "store/records.h"

namespace cuco::cli {

enum class FileText : uint8_t { Omit, Include };

void write_candidate(JsonWriter& json, const store::Candidate& candidate,
                     const std::vector<store::Judgement>& judgements, FileText text);

}  // namespace cuco::cli
