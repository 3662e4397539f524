#include "rewrite/text/edits.h"

#include <algorithm>

#include "base/text.h"

namespace cuco::rewrite {

namespace {

bool same(const Edit& a, const Edit& b) {
  return a.file == b.file && a.begin == b.begin && a.end == b.end && a.text == b.text;
}

uint32_t line_of(const std::string& text, uint32_t byte) {
  return 1 + static_cast<uint32_t>(std::count(text.begin(), text.begin() + byte, '\n'));
}

Result<std::string> apply_to(const Source& source, std::vector<Edit> edits) {
  // Insertions come before what is replaced at the same place.
  std::ranges::stable_sort(
      edits, [](const Edit& a, const Edit& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::string result;
  uint32_t at = 0;
  for (const Edit& edit : edits) {
    if (edit.begin < at)
      return Error{concat(source.path, ":", line_of(source.text, edit.begin),
                          ": error: two changes want the same text; write the two calls as separate statements")};
    result.append(source.text, at, edit.begin - at);
    result += edit.text;
    at = edit.end;
  }
  result.append(source.text, at, std::string::npos);
  return result;
}

}  // namespace

void Edits::replace(Index file, uint32_t begin, uint32_t end, std::string text) {
  Edit edit{file, begin, end, std::move(text)};
  bool known = std::ranges::any_of(edits_, [&](const Edit& other) { return same(edit, other); });
  if (!known) edits_.push_back(std::move(edit));
}

bool Edits::touches(Index file) const {
  return std::ranges::any_of(edits_, [&](const Edit& edit) { return edit.file == file; });
}

uint32_t Edits::first_byte(Index file) const {
  uint32_t first = UINT32_MAX;
  for (const Edit& edit : edits_)
    if (edit.file == file) first = std::min(first, edit.begin);
  return first;
}

Result<std::vector<Source>> Edits::apply(std::vector<Source> sources) const {
  for (Index file = 0; file < sources.size(); ++file) {
    std::vector<Edit> mine;
    std::ranges::copy_if(edits_, std::back_inserter(mine), [&](const Edit& edit) { return edit.file == file; });
    Result<std::string> text = apply_to(sources[file], std::move(mine));
    if (!text) return text.error();
    sources[file].text = std::move(*text);
  }
  return sources;
}

}  // namespace cuco::rewrite
