// Small questions about C++ text that need no parser: where a call's arguments are, where a statement ends, where the
// includes do. Comments, strings and brackets are respected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuco::rewrite {

// The byte after the comment, string or character that begins at `at`, or `at` itself.
size_t skip_opaque(std::string_view text, size_t at);
// The first byte from `at` on that is in none of these; the end of the text where there is none.
size_t next_code(std::string_view text, size_t at);
// A character of names and numbers.
bool is_word(char c);
// Past white space; with comments and preprocessor lines.
size_t skip_space(std::string_view text, size_t at);
size_t skip_to_code(std::string_view text, size_t at);

struct CallText {
  uint32_t callee_begin = 0, callee_end = 0;
  uint32_t open = 0;                   // Of the byte after "(".
  uint32_t close = 0;                  // Of ")".
  std::vector<std::string> arguments;  // Trimmed.
};

// The call of `callee` that begins at `begin`; nothing when another text stands there.
std::optional<CallText> read_call(std::string_view text, uint32_t begin, std::string_view callee);

// Text between two commas, without the white space around it.
struct Item {
  uint32_t begin = 0, end = 0;
  std::string text;
};

// The texts between commas from `open` on, which no bracket encloses, to the `end` that closes them, and where that is;
// an empty `end` is that of the text. With Angles::Enclose those of templates are brackets, too.
enum class Angles : uint8_t { Compare, Enclose };
std::optional<uint32_t> read_list(std::string_view text, size_t open, std::string_view end, std::vector<Item>& items,
                                  Angles angles = Angles::Compare);

// The byte after "<...>", or `at` itself where it is none.
size_t skip_template_arguments(std::string_view text, size_t at);

struct LaunchText {
  std::vector<Item> configuration;  // Between "<<<" and ">>>".
  std::vector<Item> arguments;

  std::string shared_bytes() const { return configuration.size() > 2 ? configuration[2].text : "0"; }
  std::string stream() const { return configuration.size() > 3 ? configuration[3].text : "nullptr"; }
};

// The launch that begins at `begin`, with its kernel's name; nothing when another text stands there.
std::optional<LaunchText> read_launch(std::string_view text, uint32_t begin);

// Whether the statement at `begin` is a loop, whose head ends it no more than its body.
bool is_loop(std::string_view text, uint32_t begin);

// Whether the statement at `begin` stands among others in braces, rather than alone under a branch or loop.
bool stands_in_block(std::string_view text, uint32_t begin);

// The byte after the ";" that ends the statement around `at`; nothing when a block ends first.
std::optional<uint32_t> statement_end(std::string_view text, uint32_t at);

// The begin of the line after the last #include before `limit` that stands outside of any condition, and of the
// block around it.
uint32_t after_includes(std::string_view text, uint32_t limit);

// The white space that the line of `at` begins with.
std::string indentation(std::string_view text, uint32_t at);

struct FunctionText {
  uint32_t begin = 0, end = 0;  // From its first specifier to its closing brace.
  std::string header;           // What stands before the body.
};

// The function whose body holds the byte: the outermost one, where lambdas and local classes nest.
std::optional<FunctionText> enclosing_function(std::string_view text, uint32_t at);

}  // namespace cuco::rewrite
