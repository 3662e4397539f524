#include "lowering/edits.h"

#include <algorithm>
#include <numeric>

namespace cuco::lowering {

void TextEdits::wrap(uint32_t begin, uint32_t end, std::string before, std::string after) {
  if (!seen_.insert({begin, end, before}).second) return;
  edits_.push_back({begin, begin, Kind::Open, std::move(before)});
  edits_.push_back({end, end, Kind::Close, std::move(after)});
}

void TextEdits::replace(uint32_t begin, uint32_t end, std::string text) {
  if (!seen_.insert({begin, end, text}).second) return;
  edits_.push_back({begin, end, Kind::Replace, std::move(text)});
}

std::string TextEdits::apply(std::string_view text, uint32_t begin, uint32_t end) const {
  std::vector<size_t> order(edits_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const Edit& left = edits_[a];
    const Edit& right = edits_[b];
    if (left.begin != right.begin) return left.begin < right.begin;
    if (left.kind != right.kind) return left.kind < right.kind;
    return left.kind == Kind::Close ? a > b : a < b;
  });
  std::string out;
  uint32_t at = begin;
  for (size_t index : order) {
    const Edit& edit = edits_[index];
    if (edit.begin < at || edit.end > end || edit.begin < begin) continue;
    out.append(text.substr(at, edit.begin - at));
    out += edit.text;
    at = edit.end;
  }
  out.append(text.substr(at, end - at));
  return out;
}

}  // namespace cuco::lowering
