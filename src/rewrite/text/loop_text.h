// The text of a counting loop, and what in its body would notice that iterations change places.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuco::rewrite {

// for (TYPE name = 0; name < limit; name++) body
struct LoopText {
  uint32_t header_begin = 0, header_end = 0;  // Between the brackets.
  uint32_t body_begin = 0, body_end = 0;      // With its braces; one statement without its semicolon.
  std::string type, name, limit;
};

// The loop in [begin, end); nothing when it is written in another way, or its variable lives outside of it.
std::optional<LoopText> read_counting_loop(std::string_view text, uint32_t begin, uint32_t end);

// Why the body depends on the order of iterations as far as its text shows, in one sentence: it leaves the loop, or
// changes the loop's variable or something that outlives an iteration. Empty when nothing does. Functions that change
// what they are given by reference are seen by the usual names only.
std::string order_in_body(std::string_view body, const std::string& induction);

// The names that an expression begins its operands with: "a" and "i" of a.b[i] + 1.
std::vector<std::string> names_in(std::string_view expression);
// The text declares the variable, or an operator in it changes it.
bool changes_name(std::string_view text, const std::string& name);

}  // namespace cuco::rewrite
