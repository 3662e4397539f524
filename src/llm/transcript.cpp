#include "llm/transcript.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "llm/json_access.h"

namespace cuco::llm {

namespace fs = std::filesystem;

namespace {

constexpr size_t kShownBytes = 80;

Json to_json(const Prompt& prompt) {
  Json json = {{"system", prompt.system}, {"messages", Json::array()}, {"max_tokens", prompt.max_tokens}};
  for (const Message& message : prompt.messages)
    json["messages"].push_back({{"role", name_of(message.role)}, {"text", message.text}});
  if (prompt.temperature) json["temperature"] = *prompt.temperature;
  return json;
}

Prompt prompt_of(const Json& json) {
  Prompt prompt{text_at(json, "/system"), {}, count_at(json, "/max_tokens")};
  if (const Json* temperature = find(json, "/temperature"); temperature != nullptr && temperature->is_number())
    prompt.temperature = temperature->get<double>();
  const Json* messages = find(json, "/messages");
  if (messages == nullptr || !messages->is_array()) return prompt;
  for (const Json& message : *messages)
    prompt.messages.push_back(
        {text_at(message, "/role") == "assistant" ? Role::Assistant : Role::User, text_at(message, "/text")});
  return prompt;
}

Json to_json(const Reply& reply) {
  Json json = {{"text", reply.text},
               {"input_tokens", reply.usage.input_tokens},
               {"output_tokens", reply.usage.output_tokens},
               {"tokens_estimated", reply.usage.estimated},
               {"stop_reason", name_of(reply.stop_reason)}};
  json["cost_usd"] = reply.cost_usd ? Json(*reply.cost_usd) : Json(nullptr);
  return json;
}

StopReason recorded_stop_reason(const std::string& word) {
  for (StopReason reason : {StopReason::Finished, StopReason::MaxTokens, StopReason::Refused})
    if (name_of(reason) == word) return reason;
  return StopReason::Other;
}

Reply reply_of(const Json& json) {
  const Json* estimated = find(json, "/tokens_estimated");
  Reply reply{
      text_at(json, "/text"),
      {count_at(json, "/input_tokens"), count_at(json, "/output_tokens"), estimated != nullptr && *estimated == true}};
  if (const Json* cost = find(json, "/cost_usd"); cost != nullptr && cost->is_number())
    reply.cost_usd = cost->get<double>();
  reply.stop_reason = recorded_stop_reason(text_at(json, "/stop_reason"));
  return reply;
}

std::string shown(const std::string& line) {
  return concat("`", line.substr(0, kShownBytes), line.size() > kShownBytes ? "...`" : "`");
}

// Texts are told apart by their first unlike line.
std::string text_difference(const std::string& part, const std::string& recorded, const std::string& asked) {
  std::vector<std::string> before = split(recorded, '\n');
  std::vector<std::string> after = split(asked, '\n');
  size_t line = 0;
  while (line < before.size() && line < after.size() && before[line] == after[line]) ++line;
  auto at = [line](const std::vector<std::string>& lines) {
    return line < lines.size() ? shown(lines[line]) : std::string("the end");
  };
  return concat("line ", line + 1, " of ", part, ": recorded ", at(before), ", asked ", at(after));
}

// As a reader of the transcript gets it back: bytes that are no UTF-8 are replaced there.
Prompt as_recorded(const Prompt& prompt) { return prompt_of(parse_json(dump(to_json(prompt)))); }

}  // namespace

std::string to_line(const RecordedCall& call) {
  Json json = {{"model", call.model},
               {"start_unix_ms", call.start_unix_ms},
               {"wall_ms", call.wall_ms},
               {"prompt", to_json(call.prompt)}};
  if (call.outcome)
    json["reply"] = to_json(*call.outcome);
  else
    json["error"] = call.outcome.error().message;
  return dump(json) + "\n";
}

Result<RecordedCall> parse_line(std::string_view line) {
  Json json = parse_json(line);
  const Json* prompt = find(json, "/prompt");
  const Json* reply = find(json, "/reply");
  const Json* error = find(json, "/error");
  if (prompt == nullptr || (reply == nullptr) == (error == nullptr))
    return Error{"a line of a transcript is a JSON object with a prompt and a reply or an error"};
  RecordedCall call{text_at(json, "/model"), prompt_of(*prompt)};
  if (reply != nullptr)
    call.outcome = reply_of(*reply);
  else
    call.outcome = Error{text_at(json, "/error")};
  call.start_unix_ms = static_cast<int64_t>(count_at(json, "/start_unix_ms"));
  call.wall_ms = static_cast<int64_t>(count_at(json, "/wall_ms"));
  return call;
}

std::string first_difference(const Prompt& recorded, const Prompt& asked) {
  if (recorded.system != asked.system) return text_difference("the system text", recorded.system, asked.system);
  size_t both = std::min(recorded.messages.size(), asked.messages.size());
  for (size_t i = 0; i < both; ++i) {
    const Message& before = recorded.messages[i];
    const Message& after = asked.messages[i];
    std::string part = concat("message ", i + 1, " (", name_of(before.role), ")");
    if (before.role != after.role) return concat("the role of ", part, ": asked as ", name_of(after.role));
    if (before.text != after.text) return text_difference(part, before.text, after.text);
  }
  if (recorded.messages.size() != asked.messages.size())
    return concat("the number of messages: recorded ", recorded.messages.size(), ", asked ", asked.messages.size());
  if (recorded.max_tokens != asked.max_tokens)
    return concat("max_tokens: recorded ", recorded.max_tokens, ", asked ", asked.max_tokens);
  if (recorded.temperature != asked.temperature) return "the temperature";
  return "";
}

RecordingModel::RecordingModel(std::unique_ptr<Model> model, std::string name, fs::path path, int fd, Clock& clock)
    : model_(std::move(model)), name_(std::move(name)), path_(std::move(path)), fd_(fd), clock_(clock) {}

RecordingModel::~RecordingModel() { close(fd_); }

Result<std::unique_ptr<Model>> RecordingModel::open(std::unique_ptr<Model> model, std::string name,
                                                    const fs::path& path, Clock& clock) {
  std::error_code ignored;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), ignored);
  int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return Error{concat(path.string(), ": ", std::strerror(errno))};
  return std::unique_ptr<Model>(new RecordingModel(std::move(model), std::move(name), path, fd, clock));
}

Status RecordingModel::append(const std::string& line) {
  std::lock_guard lock(mutex_);
  for (std::string_view rest = line; !rest.empty();) {
    ssize_t written = write(fd_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Error{concat(path_.string(), ": ", std::strerror(errno))};
    rest.remove_prefix(static_cast<size_t>(written));
  }
  fdatasync(fd_);
  return Done{};
}

// A reply that cannot be recorded is an error, since a campaign without it cannot be repeated.
Result<Reply> RecordingModel::complete(const Prompt& prompt, Progress& progress) {
  RecordedCall call{name_, prompt};
  call.start_unix_ms = clock_.unix_ms();
  call.outcome = model_->complete(prompt, progress);
  call.wall_ms = clock_.unix_ms() - call.start_unix_ms;
  std::string line = to_line(call);
  CUCO_CHECK(append(line));
  return parse_line(line)->outcome;
}

Result<std::unique_ptr<Model>> ReplayModel::open(const std::string& name, const fs::path& path) {
  CUCO_TRY(std::string text, read_file(path));
  std::vector<std::string> lines = split(text, '\n');
  lines.pop_back();
  std::vector<NumberedCall> calls;
  for (size_t i = 0; i < lines.size(); ++i) {
    Result<RecordedCall> call = parse_line(lines[i]);
    if (!call) return Error{concat(path.string(), ":", i + 1, ": ", call.error().message)};
    if (call->model == name) calls.push_back({i + 1, *std::move(call)});
  }
  return std::unique_ptr<Model>(new ReplayModel(name, path, std::move(calls)));
}

Result<Reply> ReplayModel::complete(const Prompt& prompt, Progress& progress) {
  std::lock_guard lock(mutex_);
  if (next_ == calls_.size())
    return Error{concat(path_.string(), ": the transcript ends after ", counted(calls_.size(), "call"), " of ", name_,
                        "; one more is asked for")};
  const auto& [line, call] = calls_[next_];
  if (std::string difference = first_difference(call.prompt, as_recorded(prompt)); !difference.empty())
    return Error{concat(path_.string(), ":", line, ": the prompt differs from the recorded one in ", difference)};
  ++next_;
  if (call.outcome) progress.on_text(call.outcome->text, call.outcome->usage.output_tokens);
  return call.outcome;
}

}  // namespace cuco::llm
