// Insertions and replacements collected during one walk over a syntax tree, applied together. Nested constructs may
// wrap the same text: what is opened first is closed last.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace cuco::lowering {

class TextEdits {
 public:
  // Wraps [begin, end) in two texts. Calls for outer ranges come before calls for inner ones.
  void wrap(uint32_t begin, uint32_t end, std::string before, std::string after);
  void replace(uint32_t begin, uint32_t end, std::string text);

  // The part [begin, end) of `text` with every edit inside it applied. Edits inside a replaced range are dropped.
  std::string apply(std::string_view text, uint32_t begin, uint32_t end) const;

 private:
  // At one position closings come first, innermost (latest) first, then replacements, then openings in order.
  enum class Kind : uint8_t { Close, Replace, Open };
  struct Edit {
    uint32_t begin;
    uint32_t end;
    Kind kind;
    std::string text;
  };

  std::vector<Edit> edits_;
  // The walk meets some expressions twice (initialiser lists have two forms): the second time changes nothing.
  std::set<std::tuple<uint32_t, uint32_t, std::string>> seen_;
};

}  // namespace cuco::lowering
