#include "agent/edits.h"

#include <algorithm>

#include "base/text.h"

namespace cuco::agent {

namespace {

constexpr size_t kPlacesShown = 5;

// Seven marks are the custom; models are not exact about it.
bool is_mark(const std::string& line, char sign, std::string_view word) {
  std::string_view text = trim(line);
  size_t signs = std::min(text.find_first_not_of(sign), text.size());
  return signs >= 5 && signs <= 9 && trim(text.substr(signs)) == word;
}

using Lines = std::vector<std::string>;

// Copies lines up to the mark into `into`; false when the reply ends before it.
bool take_until(const Lines& lines, size_t& at, char sign, std::string_view word, Lines& into) {
  for (; at < lines.size(); ++at) {
    if (is_mark(lines[at], sign, word)) return true;
    into.push_back(lines[at]);
  }
  return false;
}

bool stands_at(const Lines& search, const Lines& text, size_t at) {
  return at + search.size() <= text.size() && std::equal(search.begin(), search.end(), text.begin() + at);
}

struct Closest {
  size_t at = 0;       // First line of the file that was compared.
  size_t matched = 0;  // How many lines agree from there.
};

// Where most leading lines of the search stand.
Closest closest_place(const Lines& search, const Lines& text) {
  Closest best;
  for (size_t at = 0; at < text.size(); ++at) {
    size_t matched = 0;
    while (matched < search.size() && at + matched < text.size() && search[matched] == text[at + matched]) ++matched;
    if (matched > best.matched) best = {at, matched};
  }
  return best;
}

// White space is what models get wrong most often, and what is hardest to see.
size_t line_but_for_blanks(const std::string& wanted, const Lines& text) {
  for (size_t at = 0; at < text.size(); ++at)
    if (!trim(wanted).empty() && squeeze(text[at]) == squeeze(wanted)) return at + 1;
  return 0;
}

Error not_found(const Lines& search, const Lines& text, const std::string& path) {
  Closest close = closest_place(search, text);
  std::string head = concat("its SEARCH text is not in ", path, "; ");
  const std::string& wrong = search[close.matched];
  if (size_t line = line_but_for_blanks(wrong, text); line > 0 && close.matched == 0)
    return Error{concat(head, "its first line stands, with other white space, in line ", line, ": `", text[line - 1],
                        "`; copy it byte for byte")};
  if (close.matched == 0) return Error{concat(head, "no line is `", wrong, "`; copy lines of the file byte for byte")};
  size_t differs = close.at + close.matched;
  std::string stands = differs < text.size() ? concat("`", text[differs], "`") : "the end of the file";
  return Error{concat(head, "its first ", counted(close.matched, "line"), " stand at line ", close.at + 1,
                      ", then SEARCH has `", wrong, "` where line ", differs + 1, " is ", stands)};
}

Error ambiguous(const std::vector<size_t>& places, const std::string& path) {
  std::vector<std::string> numbers;
  for (size_t i = 0; i < places.size() && i < kPlacesShown; ++i) numbers.push_back(std::to_string(places[i] + 1));
  return Error{concat("its SEARCH text stands ", places.size(), " times in ", path, " (lines ", join(numbers, ", "),
                      places.size() > kPlacesShown ? ", ..." : "", "); add lines around it until it stands once")};
}

}  // namespace

bool is_search_mark(const std::string& line) { return is_mark(line, '<', "SEARCH"); }

Result<std::vector<Edit>> find_edits(const Lines& lines,
                                     const std::function<std::optional<std::string>(const std::string&)>& named_file) {
  std::vector<Edit> edits;
  std::string path;
  for (size_t at = 0; at < lines.size(); ++at) {
    if (auto named = named_file(lines[at])) path = *named;
    if (!is_search_mark(lines[at])) continue;
    Edit edit{path, {}, {}};
    size_t opened = at++;
    if (!take_until(lines, at, '=', "", edit.search))
      return Error{concat("the SEARCH in line ", opened + 1, " of the reply has no ======= after it")};
    if (!take_until(lines, ++at, '>', "REPLACE", edit.replace))
      return Error{concat("the SEARCH in line ", opened + 1, " of the reply has no >>>>>>> REPLACE after it")};
    edits.push_back(std::move(edit));
  }
  return edits;
}

Result<std::string> apply_edit(const Edit& edit, const SourceFile& file) {
  bool blank =
      std::all_of(edit.search.begin(), edit.search.end(), [](const std::string& line) { return trim(line).empty(); });
  if (blank) return Error{"its SEARCH text is empty; name the lines beside which the text belongs"};
  Lines text = split(file.text, '\n');
  std::vector<size_t> places;
  for (size_t at = 0; at < text.size(); ++at)
    if (stands_at(edit.search, text, at)) places.push_back(at);
  if (places.empty()) return not_found(edit.search, text, file.name);
  if (places.size() > 1) return ambiguous(places, file.name);
  auto first = text.begin() + static_cast<Lines::difference_type>(places[0]);
  auto rest = text.erase(first, first + static_cast<Lines::difference_type>(edit.search.size()));
  text.insert(rest, edit.replace.begin(), edit.replace.end());
  return join(text, "\n");
}

}  // namespace cuco::agent
