// From a word of the command line to a model that is ready: provider, retries, budget, price and recording around it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/environment.h"
#include "base/result.h"
#include "llm/budget.h"
#include "llm/clock.h"
#include "llm/http.h"
#include "llm/model.h"
#include "llm/prices.h"
#include "llm/retrying_model.h"

namespace cuco::llm {

struct ModelOptions {
  Timeouts timeouts = {};
  int64_t command_timeout_ms = 1'800'000;
  int64_t mailbox_timeout_ms = 86'400'000;
  RetryPolicy retry = {};
  std::optional<std::filesystem::path> record = std::nullopt;  // A transcript to append to.
  std::optional<std::filesystem::path> replay = std::nullopt;  // A transcript to answer from, instead of the model.
};

// What models share. All of it must outlive them.
struct ModelWorld {
  const Environment& environment;
  Clock& clock;
  Budget& budget;
  const PriceList& prices;
};

// With `replay` the spec says whose calls to replay; no key is needed.
Result<std::unique_ptr<Model>> open_model(const std::string& spec_text, const ModelOptions& options, ModelWorld world);

}  // namespace cuco::llm
