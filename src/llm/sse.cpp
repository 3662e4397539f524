#include "llm/sse.h"

#include <utility>

namespace cuco::llm {

bool SseReader::feed(std::string_view bytes, const std::function<bool(const SseEvent&)>& on_event) {
  while (!bytes.empty()) {
    size_t end = bytes.find('\n');
    line_.append(bytes.substr(0, end));
    if (end == std::string_view::npos) return true;
    bytes.remove_prefix(end + 1);
    if (line_.ends_with('\r')) line_.pop_back();
    if (!take_line(std::exchange(line_, {}), on_event)) return false;
  }
  return true;
}

bool SseReader::finish(const std::function<bool(const SseEvent&)>& on_event) {
  return take_line(std::exchange(line_, {}), on_event) && take_line("", on_event);
}

bool SseReader::take_line(std::string_view line, const std::function<bool(const SseEvent&)>& on_event) {
  if (line.empty()) {
    SseEvent event = std::exchange(event_, {});
    return !std::exchange(has_data_, false) || on_event(event);
  }
  size_t colon = line.find(':');
  std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") event_.name = value;
  if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  }
  return true;
}

}  // namespace cuco::llm
