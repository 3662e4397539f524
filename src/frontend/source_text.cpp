#include "frontend/source_text.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"

namespace cuco::frontend {

namespace {

constexpr std::string_view kStartMarker = "EVOLVE-BLOCK-START";
constexpr std::string_view kEndMarker = "EVOLVE-BLOCK-END";

bool belongs_in_source(char c) {
  auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

std::string place(const std::string& path, std::string_view text, size_t at) {
  std::string_view before = text.substr(0, at);
  size_t line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  size_t newline = before.rfind('\n');
  size_t column = newline == std::string_view::npos ? at + 1 : at - newline;
  return concat(path, ":", line, ":", column, ": error: ");
}

struct Marker {
  size_t line_begin;
  size_t line_end;  // One past the newline.
  size_t at;
  bool starts;
};

// A marker counts only where a comment that has its line to itself begins with it, so that neither a string nor a
// sentence that mentions it does.
std::string_view comment_on(std::string_view line) {
  std::string_view text = trim(line);
  for (std::string_view opening : {"//", "/*", "#pragma"})
    if (text.starts_with(opening)) return trim(text.substr(opening.size()));
  return {};
}

std::vector<Marker> find_markers(std::string_view text) {
  std::vector<Marker> markers;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string_view comment = comment_on(text.substr(begin, end - begin));
    bool starts = comment.starts_with(kStartMarker);
    if (starts || comment.starts_with(kEndMarker))
      markers.push_back({begin, end, static_cast<size_t>(comment.data() - text.data()), starts});
    begin = end;
  }
  return markers;
}

model::SourceRange lines_between(std::string_view text, const Marker& start, const Marker& end, model::Index file) {
  auto line = static_cast<uint32_t>(std::count(text.begin(), text.begin() + static_cast<long>(start.line_end), '\n'));
  return {file, static_cast<uint32_t>(start.line_end), static_cast<uint32_t>(end.line_begin), line + 1, 1, true};
}

}  // namespace

Status check_source_text(const std::string& path, std::string_view text) {
  auto bad = std::find_if_not(text.begin(), text.end(), belongs_in_source);
  if (bad == text.end()) return Done{};
  char code[8];
  std::snprintf(code, sizeof code, "0x%02x", static_cast<unsigned char>(*bad));
  return Error{concat(place(path, text, static_cast<size_t>(bad - text.begin())), "byte ", code,
                      " does not belong in C++ source; expected a text file")};
}

Result<std::vector<model::EvolveBlock>> find_evolve_blocks(const std::string& path, std::string_view text,
                                                           model::Index file) {
  std::vector<model::EvolveBlock> blocks;
  const Marker* open = nullptr;
  std::vector<Marker> markers = find_markers(text);
  for (const Marker& marker : markers) {
    if (marker.starts && open)
      return Error{concat(place(path, text, marker.at), kStartMarker, " inside a block that is still open; expected ",
                          kEndMarker, " first")};
    if (!marker.starts && !open)
      return Error{concat(place(path, text, marker.at), kEndMarker, " without an ", kStartMarker, " before it")};
    if (!marker.starts) blocks.push_back({lines_between(text, *open, marker, file)});
    open = marker.starts ? &marker : nullptr;
  }
  if (open) return Error{concat(place(path, text, open->at), kStartMarker, " is never closed; expected ", kEndMarker)};
  return blocks;
}

}  // namespace cuco::frontend
