// A program without a harness whose text says where its region begins and has come to its end, so that the runner can
// call it again (vcluster/runtime/harness/plain_loop.h). Every line keeps its number, and what the region declares is
// declared anew in every call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cuco::evaluate {

// As model/region_text.h has it.
struct PlainRegion {
  std::string file;
  size_t begin = 0, end = 0;
  uint32_t own_calls = 1;
  bool by_events = false;  // The program times it by events, which are read where it runs; else its marks time it.
  std::string set_up;
  bool is_last = false;

  bool operator==(const PlainRegion&) const = default;
};

// Bytes of a text.
struct TextSpan {
  size_t begin = 0, end = 0;
};

// The region in whole statements of one block; none where that cannot be. `code` is its file's text without comments.
std::optional<TextSpan> whole_statements(std::string_view code, const PlainRegion& region);

// As `cuco-lower region` writes it. Inverse of each other.
Result<PlainRegion> parse_plain_region(const std::string& text);
std::string to_text(const PlainRegion& region);

// The region of a program in a text that was made of its own: the same lines. Where its first or last line was changed,
// all that was written instead is in it.
PlainRegion carried_over(PlainRegion region, const std::string& original, const std::string& made);

// `text` is that of the region's file. An error says why it cannot be marked.
Result<std::string> with_marks(const std::string& text, const PlainRegion& region);

}  // namespace cuco::evaluate
