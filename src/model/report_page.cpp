#include "model/report_page.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace cuco::model {

namespace {

constexpr size_t kColumns = 100;
constexpr size_t kHangingIndent = 2;
constexpr size_t kEntryIndent = 4;
constexpr size_t kLabelColumns = 10;

const char* escape_of(Page::Tone tone) {
  switch (tone) {
    case Page::Tone::Plain:
      return "";
    case Page::Tone::Strong:
      return "\033[1m";
    case Page::Tone::Good:
      return "\033[32m";
    case Page::Tone::Bad:
      return "\033[31m";
    case Page::Tone::Faint:
      return "\033[2m";
  }
  return "";
}

}  // namespace

void Page::put(std::string_view text, Tone tone) {
  bool dressed = colour_ && tone != Tone::Plain && !text.empty();
  if (dressed) text_ += escape_of(tone);
  text_ += text;
  if (dressed) text_ += "\033[0m";
}

void Page::put_wrapped(std::string_view text, size_t indent, Tone tone) {
  bool first = true;
  for (const std::string& line : wrapped(text, kColumns - indent, kColumns - indent)) {
    if (!std::exchange(first, false)) text_.append(indent, ' ');
    put(line, tone);
    text_ += '\n';
  }
}

void Page::blank() { text_ += '\n'; }

void Page::heading(std::string_view text) {
  blank();
  line(text, Tone::Strong);
}

void Page::line(std::string_view text, Tone tone) { put_wrapped(text, kHangingIndent, tone); }

void Page::entry(std::string_view label, const std::vector<std::string>& texts, Tone tone) {
  for (size_t i = 0; i < texts.size(); ++i) {
    text_.append(kEntryIndent, ' ');
    std::string_view shown = i == 0 ? label : std::string_view();
    put(shown, Tone::Faint);
    text_.append(kLabelColumns - shown.size(), ' ');
    put_wrapped(texts[i], kEntryIndent + kLabelColumns, tone);
  }
}

void Page::item(std::string_view name, const std::string& text, size_t name_columns) {
  text_ += "  ";
  put(name, Tone::Strong);
  text_.append(name_columns > name.size() ? name_columns - name.size() : 0, ' ');
  text_ += "  ";
  put_wrapped(text, std::max(name_columns, name.size()) + 4, Tone::Plain);
}

}  // namespace cuco::model
