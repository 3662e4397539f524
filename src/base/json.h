// A writer of JSON with keys in the order they are written, so that equal models give byte-equal text.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cuco {

// Usage: writer.begin_object(); writer.key("ranks").value(4); writer.end_object(). Two-space indent.
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth);
  JsonWriter& value(double number);  // Not finite becomes null: JSON has no other word for it.
  template <std::integral T>
  JsonWriter& value(T number) {
    return raw(std::to_string(number));
  }
  JsonWriter& null() { return raw("null"); }
  // A value that is JSON already.
  JsonWriter& verbatim(std::string_view json) { return raw(json); }

  template <typename T>
  JsonWriter& field(std::string_view name, const T& content) {
    return key(name).value(content);
  }
  JsonWriter& field(std::string_view name, const std::vector<std::string>& texts);

  // The finished document, with a newline at its end.
  std::string take();

 private:
  JsonWriter& raw(std::string_view text);
  void separate();
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);

  std::string out_;
  std::vector<bool> has_items_;  // One entry per open bracket.
  bool after_key_ = false;
};

std::string json_quoted(std::string_view text);

}  // namespace cuco
