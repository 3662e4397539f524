#include "evolve/proposers/logged_calls.h"

#include <utility>

#include "base/sha256.h"
#include "base/text.h"
#include "llm/transcript.h"

namespace cuco::evolve {

namespace {

const char* const kKind = "reply";

Result<Answer> known_answer(const LoggedModel& model, const std::string& key, const std::string& line) {
  Result<llm::RecordedCall> call = llm::parse_line(line);
  if (!call) return Error{concat("the log's reply ", key, " cannot be read: ", call.error().message)};
  if (call->outcome && model.on_known) model.on_known(*call->outcome);
  return Answer{key, std::move(call->outcome)};
}

}  // namespace

std::string logged_text(const LoggedModel& model, const std::string& key) {
  std::optional<std::string> line = model.log->find(kKind, key);
  if (!line) return {};
  Result<llm::RecordedCall> call = llm::parse_line(*line);
  return call && call->outcome ? call->outcome->text : std::string();
}

std::string log_key(const std::string& model, const llm::Prompt& prompt) {
  std::string temperature = prompt.temperature ? concat(*prompt.temperature) : "none";
  return sha256(concat(model, "\n", prompt.max_tokens, "\n", temperature, "\n", llm::to_text(prompt)));
}

Result<Answer> ask(const LoggedModel& model, const llm::Prompt& prompt, llm::Progress& progress) {
  std::string key = log_key(model.name, prompt);
  if (std::optional<std::string> line = model.log->find(kKind, key)) return known_answer(model, key, *line);
  if (model.model == nullptr)
    return Answer{key, Error{concat("the log has no reply of ", model.name, " to this prompt")}};
  llm::RecordedCall call{model.name, prompt, model.model->complete(prompt, progress)};
  if (!call.outcome && progress.cancelled()) return call.outcome.error();
  std::string line = llm::to_line(call);
  if (Status appended = model.log->append(kKind, key, line); !appended) return appended.error();
  // What a replay will see: bytes that are not UTF-8 do not survive the log.
  return Answer{key, llm::parse_line(line)->outcome};
}

}  // namespace cuco::evolve
