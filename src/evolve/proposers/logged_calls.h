// Calls of a model through the log of a run. A prompt that is in the log is answered from it and never asked again;
// what a model answers is in the log before anybody sees it. So a run that is resumed pays nothing twice, and one that
// is done again from its log needs no model at all. That a model gave no reply (no budget left, a provider down) is a
// fact of the run too, since the run goes on without it: it is in the log like a reply.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "llm/model.h"
#include "store/log.h"

namespace cuco::evolve {

struct LoggedModel {
  std::string name;             // Its spec.
  llm::Model* model = nullptr;  // Null: the log alone answers.
  store::Log* log = nullptr;
  std::function<void(const llm::Reply&)> on_known = {};  // Hears a reply that was paid for before; may be empty.
};

struct Answer {
  std::string key;                       // In the log, of kind "reply". The entry holds the prompt as well.
  Result<llm::Reply> outcome = Error{};  // An error: the model gave no reply.
};

// The text of a reply that is in the log; empty when it is not.
std::string logged_text(const LoggedModel& model, const std::string& key);

// By what it asks of whom.
std::string log_key(const std::string& model, const llm::Prompt& prompt);

// An error means that the run must end: the log cannot be written, or the call was cancelled.
Result<Answer> ask(const LoggedModel& model, const llm::Prompt& prompt, llm::Progress& progress);

}  // namespace cuco::evolve
