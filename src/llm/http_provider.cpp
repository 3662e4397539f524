#include "llm/http_provider.h"

#include <algorithm>

#include "base/text.h"
#include "llm/api_error.h"

namespace cuco::llm {

namespace {

// Three parameters can be refused, one after the other.
constexpr int kSendsMax = 4;

// Gathers a stream and tells progress about every piece.
class StreamGatherer {
 public:
  StreamGatherer(const WireFormat& format, Progress& progress) : format_(format), progress_(progress) {}

  bool feed(std::string_view bytes) {
    return reader_.feed(bytes, [this](const SseEvent& event) { return take(event); });
  }
  void finish() {
    if (!failure_ && !state_.ended) reader_.finish([this](const SseEvent& event) { return take(event); });
  }

  bool whole() const { return state_.ended || state_.stop; }
  bool begun() const { return !state_.text.empty() || state_.usage.input_tokens > 0; }
  const StreamState& state() const { return state_; }
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  bool take(const SseEvent& event) {
    size_t before = state_.text.size();
    failure_ = format_.on_event(event, state_);
    if (state_.text.size() > before) {
      uint64_t tokens = std::max(state_.usage.output_tokens, tokens_about(state_.text));
      progress_.on_text(std::string_view(state_.text).substr(before), tokens);
    }
    return !failure_ && !state_.ended;
  }

  const WireFormat& format_;
  Progress& progress_;
  SseReader reader_;
  StreamState state_;
  std::optional<Failure> failure_;
};

// A provider that states no counts is charged the most that the texts can be.
Usage completed(Usage usage, const Prompt& prompt, std::string_view text) {
  if (usage.input_tokens == 0) {
    usage.input_tokens = tokens_at_most(prompt);
    usage.estimated = true;
  }
  if (usage.output_tokens == 0 && !text.empty()) {
    usage.output_tokens = tokens_at_most(Prompt{std::string(text), {}});
    usage.estimated = true;
  }
  return usage;
}

Failure broken_off(const StreamGatherer& stream, Failure failure, const Prompt& prompt) {
  if (!stream.begun()) return failure;
  failure.spent = completed(stream.state().usage, prompt, stream.state().text);
  // The last count that was stated may be older than the last text.
  failure.spent.output_tokens = std::max(failure.spent.output_tokens, tokens_about(stream.state().text));
  return failure;
}

Attempt streamed(const StreamGatherer& stream, const Prompt& prompt) {
  if (stream.failure()) return broken_off(stream, *stream.failure(), prompt);
  if (!stream.whole()) return broken_off(stream, Failure{"the reply ended in the middle", true}, prompt);
  const StreamState& state = stream.state();
  return Reply{state.text, completed(state.usage, prompt, state.text), std::nullopt,
               state.stop.value_or(StopReason::Other)};
}

}  // namespace

Attempt HttpProvider::attempt(const Prompt& prompt, Progress& progress) {
  return without_secrets(send(prompt, progress));
}

Attempt HttpProvider::send(const Prompt& prompt, Progress& progress) {
  for (int sends = 1;; ++sends) {
    StreamGatherer stream(*format_, progress);
    HttpObserver observer{[&](std::string_view bytes) { return stream.feed(bytes); },
                          [&] { return progress.cancelled(); }};
    Concessions made{no_temperature_ || !prompt.temperature, no_stream_options_, other_limit_name_};
    HttpOutcome outcome = http_post(format_->request(prompt, made), settings_, observer);
    const HttpResponse& response = outcome.response;
    if (outcome.failure) return broken_off(stream, *outcome.failure, prompt);
    if (response.status / 100 != 2) {
      if (sends < kSendsMax && concede(response, made)) continue;
      return explain(response);
    }
    stream.finish();
    if (response.body.empty()) return streamed(stream, prompt);
    Attempt whole = format_->on_body(response.body);
    if (auto* reply = std::get_if<Reply>(&whole)) {
      reply->usage = completed(reply->usage, prompt, reply->text);
      progress.on_text(reply->text, reply->usage.output_tokens);
    }
    return whole;
  }
}

// Reasoning models accept no temperature, some servers no stream options or only one name of the limit. All say so with
// status 400 or 422 and the name. True when another request can fare better.
bool HttpProvider::concede(const HttpResponse& response, const Concessions& made) {
  if (response.status != 400 && response.status != 422) return false;
  auto refused = [&](const char* name, bool already, std::atomic<bool>& concession) {
    if (already || response.body.find(name) == std::string::npos) return false;
    concession = true;
    return true;
  };
  return refused("temperature", made.no_temperature, no_temperature_) ||
         refused("stream_options", made.no_stream_options, no_stream_options_) ||
         refused("max_completion_tokens", made.other_limit_name, other_limit_name_);
}

Failure HttpProvider::explain(const HttpResponse& response) const {
  Failure failure = failure_of_response(response);
  if (response.status == 401 || response.status == 403)
    failure.message += concat("; check the environment variable ", format_->key_variable());
  return failure;
}

Attempt HttpProvider::without_secrets(Attempt attempt) const {
  if (auto* failure = std::get_if<Failure>(&attempt))
    for (const std::string& secret : format_->secrets())
      if (!secret.empty()) failure->message = replace_all(failure->message, secret, "***");
  return attempt;
}

Result<std::string> required_variable(const Environment& environment, const std::string& name, const ModelSpec& spec) {
  std::string value = variable_or(environment, name, "");
  if (value.empty())
    return Error{concat(to_text(spec), " needs the environment variable ", name, ", which is not set")};
  // A line break would end the header that the key stands in.
  bool broken = std::any_of(value.begin(), value.end(), [](unsigned char c) { return c < ' '; });
  if (broken) return Error{concat("the environment variable ", name, " holds a line break or control character")};
  return value;
}

std::string variable_or(const Environment& environment, const std::string& name, const std::string& fallback) {
  std::string value(trim(environment.variable(name).value_or("")));
  return value.empty() ? fallback : value;
}

}  // namespace cuco::llm
