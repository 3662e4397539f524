#include "base/table.h"

#include <algorithm>

#include "base/assert.h"

namespace cuco {

namespace {

// Bytes that go on with a character of UTF-8 take no place of their own.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  CUCO_ASSERT(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::write(std::ostream& out) const {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : columns_) lines[0].push_back(column.title);
  lines.insert(lines.end(), rows_.begin(), rows_.end());
  std::vector<size_t> widths(columns_.size());
  for (const auto& cells : lines)
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], width_of(cells[i]));
  for (const auto& cells : lines) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string space(widths[i] - width_of(cells[i]), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::Right ? space + cells[i] : cells[i] + space;
    }
    out << line.erase(line.find_last_not_of(' ') + 1) << "\n";
  }
}

}  // namespace cuco
