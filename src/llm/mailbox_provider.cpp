#include "llm/mailbox_provider.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "base/files.h"
#include "base/text.h"

namespace cuco::llm {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kLookEveryMs = 100;
constexpr std::string_view kPromptEnding = ".prompt.txt";

std::string numbered(int number, std::string_view ending) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%04d", number);
  return concat(digits, ending);
}

int highest_number(const fs::path& folder) {
  int highest = 0;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    std::string name = entry.path().filename().string();
    if (!name.ends_with(kPromptEnding)) continue;
    int number = 0;
    std::from_chars(name.data(), name.data() + name.size() - kPromptEnding.size(), number);
    highest = std::max(highest, number);
  }
  return highest;
}

fs::path reply_path(const fs::path& prompt_path) {
  std::string name = prompt_path.filename().string();
  return prompt_path.parent_path() / (name.substr(0, name.size() - kPromptEnding.size()) + ".reply.txt");
}

uint64_t size_of(const fs::path& path) {
  std::error_code missing;
  uint64_t bytes = fs::file_size(path, missing);
  return missing ? 0 : bytes;
}

}  // namespace

Result<fs::path> MailboxProvider::post(const Prompt& prompt) const {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) return Error{concat(folder_.string(), ": ", failed.message())};
  fs::path draft = folder_ / concat(".draft-", getpid(), "-", static_cast<const void*>(&prompt));
  CUCO_CHECK(write_file(draft, to_text(prompt)));
  // A link, unlike a rename, fails where the number is taken.
  for (int number = highest_number(folder_) + 1;; ++number) {
    fs::path path = folder_ / numbered(number, kPromptEnding);
    bool posted = link(draft.c_str(), path.c_str()) == 0;
    if (!posted && errno == EEXIST) continue;
    std::string why = std::strerror(errno);
    fs::remove(draft, failed);
    if (!posted) return Error{concat(path.string(), ": ", why)};
    return path;
  }
}

Attempt MailboxProvider::attempt(const Prompt& prompt, Progress& progress) {
  Result<fs::path> posted = post(prompt);
  if (!posted) return Failure{posted.error().message};
  fs::path path = reply_path(*posted);
  uint64_t bytes_before = 0;
  for (int64_t waited_ms = 0; waited_ms < timeout_ms_; waited_ms += kLookEveryMs) {
    if (progress.cancelled()) return cancelled_failure();
    clock_.sleep_ms(kLookEveryMs);
    uint64_t bytes = size_of(path);
    bool settled = bytes > 0 && bytes == std::exchange(bytes_before, bytes);
    if (!settled) continue;
    Result<std::string> text = read_file(path);
    if (!text) return Failure{text.error().message};
    Usage usage{tokens_about(to_text(prompt)), tokens_about(*text), true};
    progress.on_text(*text, usage.output_tokens);
    return Reply{*text, usage, std::nullopt, StopReason::Finished};
  }
  return Failure{concat(path.string(), " did not appear within ", timeout_ms_ / 1000, " s")};
}

}  // namespace cuco::llm
