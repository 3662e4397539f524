#include "llm/command_provider.h"

#include "base/text.h"
#include "llm/piped_process.h"

namespace cuco::llm {

namespace {

constexpr size_t kErrorBytesShown = 500;

std::string last_words(const std::string& text) {
  std::string_view end(text);
  if (end.size() > kErrorBytesShown) end.remove_prefix(end.size() - kErrorBytesShown);
  return std::string(trim(end));
}

}  // namespace

Attempt CommandProvider::attempt(const Prompt& prompt, Progress& progress) {
  std::string gathered;
  PipeObserver observer{[&](std::string_view piece) {
                          gathered += piece;
                          progress.on_text(piece, tokens_about(gathered));
                        },
                        [&] { return progress.cancelled(); }};
  Result<PipedOutput> output = run_piped(command_, to_text(prompt), timeout_ms_, observer);
  if (!output) return Failure{output.error().message};
  if (output->exit_code != 0)
    return Failure{concat("`", command_, "` ended with exit code ", output->exit_code, ": ", last_words(output->err))};
  if (trim(output->out).empty()) return Failure{concat("`", command_, "` printed nothing: ", last_words(output->err))};
  Usage usage{tokens_about(to_text(prompt)), tokens_about(output->out), true};
  return Reply{output->out, usage, std::nullopt, StopReason::Finished};
}

}  // namespace cuco::llm
