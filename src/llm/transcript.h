// Every call of a model on one line of JSON, and calls answered from such lines again. A line holds the prompt and
// either the reply or the error; never a key. Lines are appended and forced to disk one by one; a last line that a kill
// cut short is ignored on reading.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "llm/clock.h"
#include "llm/model.h"

namespace cuco::llm {

struct RecordedCall {
  std::string model;
  Prompt prompt;
  Result<Reply> outcome = Error{};
  int64_t start_unix_ms = 0;
  int64_t wall_ms = 0;
};

// Inverse of each other but for bytes that are not UTF-8.
std::string to_line(const RecordedCall& call);
Result<RecordedCall> parse_line(std::string_view line);

// "prompt differs in line 3 of message 1 (user): ..." or empty when the prompts are the same.
std::string first_difference(const Prompt& recorded, const Prompt& asked);

class RecordingModel : public Model {
 public:
  // Makes the folder of `path` when it is missing. The clock must outlive the model.
  static Result<std::unique_ptr<Model>> open(std::unique_ptr<Model> model, std::string name,
                                             const std::filesystem::path& path, Clock& clock);
  ~RecordingModel() override;

  // Gives what a replay will give: bytes of the reply that are not UTF-8 are replaced here already.
  Result<Reply> complete(const Prompt& prompt, Progress& progress) override;

 private:
  RecordingModel(std::unique_ptr<Model> model, std::string name, std::filesystem::path path, int fd, Clock& clock);
  Status append(const std::string& line);

  std::unique_ptr<Model> model_;
  std::string name_;
  std::filesystem::path path_;
  std::mutex mutex_;
  int fd_;
  Clock& clock_;
};

// Answers from a transcript: the calls of one model, in their order. Needs no key, no network and no budget.
class ReplayModel : public Model {
 public:
  // A transcript may hold no call of the model `name`: a role that was never asked is none the worse for it.
  static Result<std::unique_ptr<Model>> open(const std::string& name, const std::filesystem::path& path);

  // Errors when the transcript is used up or the prompt is not the recorded one; then the call is not used up.
  Result<Reply> complete(const Prompt& prompt, Progress& progress) override;

 private:
  struct NumberedCall {
    size_t line = 0;
    RecordedCall call;
  };
  ReplayModel(std::string name, std::filesystem::path path, std::vector<NumberedCall> calls)
      : name_(std::move(name)), path_(std::move(path)), calls_(std::move(calls)) {}

  std::string name_;
  std::filesystem::path path_;
  std::vector<NumberedCall> calls_;
  std::mutex mutex_;
  size_t next_ = 0;
};

}  // namespace cuco::llm
