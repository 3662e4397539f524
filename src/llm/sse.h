// Server-sent events, cut into pieces as the network pleases.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cuco::llm {

struct SseEvent {
  std::string name;  // Empty when the stream gives none.
  std::string data;  // Several data lines joined by newlines.
};

class SseReader {
 public:
  // Calls `on_event` for every event that `bytes` completes; stops, and returns false, when it returns false.
  bool feed(std::string_view bytes, const std::function<bool(const SseEvent&)>& on_event);
  // An event whose empty line the end of the stream replaced.
  bool finish(const std::function<bool(const SseEvent&)>& on_event);

 private:
  bool take_line(std::string_view line, const std::function<bool(const SseEvent&)>& on_event);

  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
};

}  // namespace cuco::llm
