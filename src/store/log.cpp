#include "store/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "base/text.h"

namespace cuco::store {

namespace fs = std::filesystem;

struct LogSpan {
  off_t begin = 0;
  size_t bytes = 0;  // Without the end of the line.
};

namespace {

using Json = nlohmann::json;

constexpr size_t kReadBytes = 1u << 20;

struct Entry {
  std::string kind, key, content;
};

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::strtol(digits.substr(i, 2).c_str(), nullptr, 16));
  return bytes;
}

std::optional<std::string> text_at(const Json& json, const char* name) {
  auto found = json.find(name);
  if (found == json.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<Entry> parse_entry(const std::string& line) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  auto kind = text_at(json, "kind"), key = text_at(json, "key"), content = text_at(json, "content");
  if (auto hex = text_at(json, "hex")) content = from_hex(*hex);
  if (!kind || !key || !content) return std::nullopt;
  return Entry{*std::move(kind), *std::move(key), *std::move(content)};
}

// Bytes that are not UTF-8 do not come back from JSON as they were.
bool is_utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)) == text;
}

std::string to_line(const Entry& entry) {
  nlohmann::ordered_json json = {{"kind", entry.kind}, {"key", entry.key}};
  if (is_utf8(entry.content))
    json["content"] = entry.content;
  else
    json["hex"] = to_hex(entry.content);
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

bool write_whole(int descriptor, std::string_view rest) {
  while (!rest.empty()) {
    ssize_t written = write(descriptor, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    rest.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

std::optional<std::string> read_span(int descriptor, LogSpan span) {
  std::string text(span.bytes, '\0');
  for (size_t have = 0; have < text.size();) {
    ssize_t got = pread(descriptor, text.data() + have, text.size() - have, span.begin + static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    have += static_cast<size_t>(got);
  }
  return text;
}

// Calls visit(span, line) for every whole line.
template <typename Visit>
void each_line(int descriptor, off_t file_bytes, Visit visit) {
  std::string pending;
  off_t begin = 0;
  for (off_t at = 0; at < file_bytes;) {
    size_t wanted = std::min<size_t>(kReadBytes, static_cast<size_t>(file_bytes - at));
    std::optional<std::string> block = read_span(descriptor, {at, wanted});
    if (!block) return;
    at += static_cast<off_t>(wanted);
    pending += *block;
    size_t used = 0;
    for (size_t end; (end = pending.find('\n', used)) != std::string::npos; used = end + 1)
      visit(LogSpan{begin + static_cast<off_t>(used), end - used}, pending.substr(used, end - used));
    pending.erase(0, used);
    begin += static_cast<off_t>(used);
  }
}

void sync_folder(const fs::path& file) {
  fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

struct Log::State {
  State(fs::path path, int fd, bool can_write) : file(std::move(path)), descriptor(fd), writable(can_write) {}
  ~State() { close(descriptor); }

  Error failure(const char* what) const { return Error{concat(file.string(), ": ", what, std::strerror(errno))}; }
  Status scan();
  Status drop_behind(off_t whole_bytes);

  fs::path file;
  int descriptor;
  bool writable;
  off_t end = 0;  // Behind the last whole line.
  std::map<std::pair<std::string, std::string>, LogSpan> spans;
  std::mutex mutex;
};

// Only the last line may be torn: the others were synced before the next was begun.
Status Log::State::scan() {
  struct stat info;
  if (fstat(descriptor, &info) != 0) return failure("cannot be read: ");
  size_t line_count = 0, bad_line = 0;
  each_line(descriptor, info.st_size, [&](LogSpan span, const std::string& line) {
    ++line_count;
    std::optional<Entry> entry = bad_line == 0 ? parse_entry(line) : std::nullopt;
    if (!entry && bad_line == 0) bad_line = line_count;
    if (!entry) return;
    spans[{entry->kind, entry->key}] = span;
    end = span.begin + static_cast<off_t>(span.bytes) + 1;
  });
  if (bad_line != 0 && bad_line < line_count)
    return Error{concat(file.string(), ":", bad_line, ": is damaged: expected an object with kind, key and content")};
  return writable && end < info.st_size ? drop_behind(end) : Status(Done{});
}

Status Log::State::drop_behind(off_t whole_bytes) {
  if (ftruncate(descriptor, whole_bytes) != 0) return failure("cannot be written: ");
  return Done{};
}

Log::Log(std::unique_ptr<State> state) : state_(std::move(state)) {}
Log::~Log() = default;
Log::Log(Log&&) noexcept = default;
Log& Log::operator=(Log&&) noexcept = default;

Result<Log> Log::open(const fs::path& file) {
  int descriptor = ::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return Error{concat(file.string(), ": cannot be opened: ", std::strerror(errno))};
  auto state = std::make_unique<State>(file, descriptor, true);
  sync_folder(file);
  CUCO_CHECK(state->scan());
  return Log(std::move(state));
}

Result<Log> Log::open_read_only(const fs::path& file) {
  int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Error{concat(file.string(), ": cannot be opened: ", std::strerror(errno))};
  auto state = std::make_unique<State>(file, descriptor, false);
  CUCO_CHECK(state->scan());
  return Log(std::move(state));
}

std::optional<std::string> Log::find(const std::string& kind, const std::string& key) const {
  std::lock_guard lock(state_->mutex);
  auto found = state_->spans.find({kind, key});
  if (found == state_->spans.end()) return std::nullopt;
  std::optional<std::string> line = read_span(state_->descriptor, found->second);
  std::optional<Entry> entry = line ? parse_entry(*line) : std::nullopt;
  if (!entry) return std::nullopt;
  return std::move(entry->content);
}

Status Log::append(const std::string& kind, const std::string& key, const std::string& content) {
  std::lock_guard lock(state_->mutex);
  CUCO_ASSERT(state_->writable);
  std::string line = to_line({kind, key, content});
  if (!write_whole(state_->descriptor, line) || fdatasync(state_->descriptor) != 0) {
    Error failure = state_->failure("cannot be written: ");
    (void)state_->drop_behind(state_->end);
    return failure;
  }
  state_->spans[{kind, key}] = {state_->end, line.size() - 1};
  state_->end += static_cast<off_t>(line.size());
  return Done{};
}

size_t Log::entry_count() const {
  std::lock_guard lock(state_->mutex);
  return state_->spans.size();
}

}  // namespace cuco::store
