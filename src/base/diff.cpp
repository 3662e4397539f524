#include "base/diff.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "base/assert.h"
#include "base/text.h"

namespace cuco {

namespace {

using Number = int64_t;

// Part of the edit graph: x counts lines of before, y of after.
struct Box {
  Number left = 0, top = 0, right = 0, bottom = 0;

  Number width() const { return right - left; }
  Number height() const { return bottom - top; }
};

// Equal lines in the middle of a shortest path through a box; may be none at all, then it is a point.
struct Snake {
  Number left = 0, top = 0, right = 0, bottom = 0;
};

// How far paths of some length get, by diagonal x - y, which may be negative.
class Reach {
 public:
  explicit Reach(Number most) : most_(most), x_(static_cast<size_t>(2 * most + 3)) {}
  Number& operator[](Number diagonal) { return x_[static_cast<size_t>(diagonal + most_ + 1)]; }

 private:
  Number most_;
  std::vector<Number> x_;
};

// Where the best path on a diagonal starts that has one edit more than those of its neighbours.
Number extended(Reach& reach, Number diagonal, Number edits) {
  bool down = diagonal == -edits || (diagonal != edits && reach[diagonal - 1] < reach[diagonal + 1]);
  return down ? reach[diagonal + 1] : reach[diagonal - 1] + 1;
}

class LineComparison {
 public:
  LineComparison(std::vector<uint32_t> before, std::vector<uint32_t> after)
      : before_(std::move(before)),
        after_(std::move(after)),
        deleted_(before_.size(), false),
        inserted_(after_.size(), false) {
    compare({0, 0, static_cast<Number>(before_.size()), static_cast<Number>(after_.size())});
  }

  std::vector<LineChange> changes() const {
    std::vector<LineChange> all;
    for (size_t x = 0, y = 0; x < before_.size() || y < after_.size();) {
      LineChange change{x, count_of(deleted_, x), y, count_of(inserted_, y)};
      x += change.before_count;
      y += change.after_count;
      if (change.before_count + change.after_count > 0) {
        all.push_back(change);
      } else {
        ++x;
        ++y;
      }
    }
    return all;
  }

 private:
  static size_t count_of(const std::vector<bool>& marks, size_t begin) {
    size_t end = begin;
    while (end < marks.size() && marks[end]) ++end;
    return end - begin;
  }

  bool same(Number x, Number y) const { return before_[static_cast<size_t>(x)] == after_[static_cast<size_t>(y)]; }

  void strip_equal_ends(Box& box) const {
    while (box.width() > 0 && box.height() > 0 && same(box.left, box.top)) ++box.left, ++box.top;
    while (box.width() > 0 && box.height() > 0 && same(box.right - 1, box.bottom - 1)) --box.right, --box.bottom;
  }

  void compare(Box box) {
    strip_equal_ends(box);
    if (box.width() == 0 || box.height() == 0) {
      std::fill(deleted_.begin() + box.left, deleted_.begin() + box.right, true);
      std::fill(inserted_.begin() + box.top, inserted_.begin() + box.bottom, true);
      return;
    }
    Snake middle = middle_of(box);
    compare({box.left, box.top, middle.left, middle.top});
    compare({middle.right, middle.bottom, box.right, box.bottom});
  }

  // Paths from both corners grow by one edit in turn until they meet.
  Snake middle_of(const Box& box) const {
    Number most = (box.width() + box.height() + 1) / 2;
    Reach forward(most), backward(most);
    Snake found;
    for (Number edits = 0; edits <= most; ++edits) {
      if (advance(box, edits, forward, backward, found)) return found;
      if (retreat(box, edits, forward, backward, found)) return found;
    }
    CUCO_ASSERT(!"paths through a box meet");
    return found;
  }

  bool advance(const Box& box, Number edits, Reach& forward, Reach& backward, Snake& found) const {
    Number delta = box.width() - box.height();
    for (Number k = -edits; k <= edits; k += 2) {
      Number start = extended(forward, k, edits), x = start;
      while (x < box.width() && x - k < box.height() && same(box.left + x, box.top + x - k)) ++x;
      forward[k] = x;
      bool crossed = delta % 2 != 0 && std::abs(k - delta) < edits;
      if (!crossed || x + backward[delta - k] < box.width()) continue;
      found = {box.left + start, box.top + start - k, box.left + x, box.top + x - k};
      return true;
    }
    return false;
  }

  // The same from the other corner: x and y count from there.
  bool retreat(const Box& box, Number edits, Reach& forward, Reach& backward, Snake& found) const {
    Number delta = box.width() - box.height();
    for (Number k = -edits; k <= edits; k += 2) {
      Number start = extended(backward, k, edits), x = start;
      while (x < box.width() && x - k < box.height() && same(box.right - 1 - x, box.bottom - 1 - x + k)) ++x;
      backward[k] = x;
      bool crossed = delta % 2 == 0 && std::abs(delta - k) <= edits;
      if (!crossed || x + forward[delta - k] < box.width()) continue;
      found = {box.right - x, box.bottom - x + k, box.right - start, box.bottom - start + k};
      return true;
    }
    return false;
  }

  std::vector<uint32_t> before_, after_;
  std::vector<bool> deleted_, inserted_;
};

// With their ends, so that a last line without one differs from a line with it.
std::vector<std::string_view> lines_with_ends(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t bytes = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return lines;
}

struct Texts {
  std::vector<std::string_view> before, after;
};

void write_line(std::string& out, char sign, std::string_view line) {
  out += sign;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

void write_lines(std::string& out, char sign, const std::vector<std::string_view>& lines, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) write_line(out, sign, lines[i]);
}

// An empty range is named by the line before it.
std::string range_text(size_t begin, size_t count) {
  std::string first = std::to_string(count == 0 ? begin : begin + 1);
  return count == 1 ? first : concat(first, ",", count);
}

using ChangeIterator = std::vector<LineChange>::const_iterator;

size_t before_end(const LineChange& change) { return change.before_begin + change.before_count; }
size_t after_end(const LineChange& change) { return change.after_begin + change.after_count; }

void write_hunk(std::string& out, const Texts& texts, ChangeIterator first, ChangeIterator end, size_t context) {
  const LineChange& last = *(end - 1);
  size_t lead = std::min(context, first->before_begin);
  size_t tail = std::min(context, texts.before.size() - before_end(last));
  size_t before_from = first->before_begin - lead, after_from = first->after_begin - lead;
  out += concat("@@ -", range_text(before_from, before_end(last) + tail - before_from), " +",
                range_text(after_from, after_end(last) + tail - after_from), " @@\n");
  size_t at = before_from;
  for (ChangeIterator change = first; change != end; ++change) {
    write_lines(out, ' ', texts.before, at, change->before_begin);
    write_lines(out, '-', texts.before, change->before_begin, before_end(*change));
    write_lines(out, '+', texts.after, change->after_begin, after_end(*change));
    at = before_end(*change);
  }
  write_lines(out, ' ', texts.before, at, at + tail);
}

}  // namespace

std::vector<LineChange> diff_lines(const std::vector<std::string_view>& before,
                                   const std::vector<std::string_view>& after) {
  std::map<std::string_view, uint32_t> names;
  auto numbers = [&names](const std::vector<std::string_view>& lines) {
    std::vector<uint32_t> all;
    for (std::string_view line : lines)
      all.push_back(names.emplace(line, static_cast<uint32_t>(names.size())).first->second);
    return all;
  };
  std::vector<uint32_t> first = numbers(before);
  return LineComparison(std::move(first), numbers(after)).changes();
}

LineCounts count_changes(std::string_view before, std::string_view after) {
  LineCounts counts;
  for (const LineChange& change : diff_lines(lines_with_ends(before), lines_with_ends(after))) {
    size_t changed = std::min(change.before_count, change.after_count);
    counts.changed += changed;
    counts.added += change.after_count - changed;
    counts.removed += change.before_count - changed;
  }
  return counts;
}

std::string to_text(const LineCounts& counts) {
  if (counts == LineCounts{}) return "no line changed";
  std::vector<std::string> parts;
  auto add = [&parts](size_t count, const char* what) {
    if (count > 0) parts.push_back(concat(parts.empty() ? counted(count, "line") : std::to_string(count), " ", what));
  };
  add(counts.changed, "changed");
  add(counts.added, "added");
  add(counts.removed, "removed");
  return join(parts, ", ");
}

std::string unified_diff(const SourceFile& before, const SourceFile& after, size_t context_lines) {
  Texts texts{lines_with_ends(before.text), lines_with_ends(after.text)};
  std::vector<LineChange> changes = diff_lines(texts.before, texts.after);
  if (changes.empty()) return {};
  std::string out = concat("--- ", before.name, "\n+++ ", after.name, "\n");
  for (ChangeIterator first = changes.begin(), end; first != changes.end(); first = end) {
    end = first + 1;
    while (end != changes.end() && end->before_begin - before_end(*(end - 1)) <= 2 * context_lines) ++end;
    write_hunk(out, texts, first, end, context_lines);
  }
  return out;
}

}  // namespace cuco
