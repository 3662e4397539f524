// Lays out a report: headings, labelled entries with hanging indent, lines of at most 100 columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cuco::model {

class Page {
 public:
  explicit Page(bool colour) : colour_(colour) {}

  enum class Tone : uint8_t { Plain, Strong, Good, Bad, Faint };

  void blank();
  void heading(std::string_view text);                        // A blank line before it.
  void line(std::string_view text, Tone tone = Tone::Plain);  // Its later lines are indented.
  // The label once, then the texts one below the other, none at all when there are no texts.
  void entry(std::string_view label, const std::vector<std::string>& texts, Tone tone = Tone::Plain);
  // A name, then text with its later lines below the text's beginning.
  void item(std::string_view name, const std::string& text, size_t name_columns);

  std::string take() { return std::move(text_); }

 private:
  void put(std::string_view text, Tone tone);
  void put_wrapped(std::string_view text, size_t indent, Tone tone);

  bool colour_;
  std::string text_;
};

}  // namespace cuco::model
