#include "evaluate/sizes/text_numbers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "evaluate/text/lexer.h"

namespace cuco::evaluate {

namespace {

using Tokens = std::vector<Token>;

Tokens code_of(const std::string& text) {
  Tokens tokens = lex(text);
  std::erase_if(tokens, [](const Token& token) { return token.is_comment(); });
  return tokens;
}

bool is_one_of(const Token& token, std::initializer_list<std::string_view> texts) {
  return std::ranges::any_of(texts, [&](std::string_view text) { return token.is(text); });
}

bool is_name(const Token& token) { return token.kind == TokenKind::Identifier; }

struct TokenSpan {
  size_t begin = 0, end = 0;
};

std::string text_of(const Tokens& tokens, TokenSpan span) {
  std::string text;
  for (size_t i = span.begin; i < span.end; i++) text += concat(text.empty() ? "" : " ", tokens[i].text);
  return text;
}

// Past the bracket that closes the one at `open`; the end of the text if none does.
size_t past_closing(const Tokens& tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); i++) {
    if (is_one_of(tokens[i], {"(", "[", "{"})) depth++;
    if (is_one_of(tokens[i], {")", "]", "}"}) && --depth == 0) return i + 1;
  }
  return tokens.size();
}

// What stands between the commas of a list.
std::vector<TokenSpan> parts_of(const Tokens& tokens, TokenSpan list) {
  std::vector<TokenSpan> parts = {{list.begin, list.begin}};
  int depth = 0;
  for (size_t i = list.begin; i < list.end; i++) {
    depth += is_one_of(tokens[i], {"(", "[", "{"}) ? 1 : is_one_of(tokens[i], {")", "]", "}"}) ? -1 : 0;
    if (depth == 0 && tokens[i].is(","))
      parts.push_back({i + 1, i + 1});
    else
      parts.back().end = i + 1;
  }
  return parts;
}

std::set<std::string> names_in(const Tokens& tokens, TokenSpan span) {
  std::set<std::string> names;
  for (size_t i = span.begin; i < span.end && i < tokens.size(); i++)
    if (is_name(tokens[i])) names.insert(tokens[i].text);
  return names;
}

// Literals, the usual operators, brackets and casts to integer types.
class LiteralReader {
 public:
  LiteralReader(const Tokens& tokens, size_t at) : tokens_(tokens), at_(at) {}

  // Past the end of the longest expression from here on is at(); none, or a fraction, or too large: nothing.
  std::optional<int64_t> read() { return shifted(); }
  size_t at() const { return at_; }
  const std::string& suffix() const { return suffix_; }

 private:
  static constexpr int64_t kMost = int64_t{1} << 48;

  bool takes(std::string_view text) {
    bool is_there = at_ < tokens_.size() && tokens_[at_].is(text);
    at_ += is_there;
    return is_there;
  }
  bool is_type(size_t at) const {
    return at < tokens_.size() && is_one_of(tokens_[at], {"size_t", "int", "long", "unsigned", "int64_t", "uint64_t",
                                                          "int32_t", "uint32_t", "ptrdiff_t", "std", "::"});
  }
  static bool is_fine(int64_t value) { return value >= 0 && value <= kMost; }

  std::optional<int64_t> shifted() {
    std::optional<int64_t> value = sum();
    while (value && at_ + 1 < tokens_.size() && tokens_[at_].is("<") && tokens_[at_ + 1].is("<")) {
      size_t before = at_;
      at_ += 2;
      std::optional<int64_t> by = sum();
      if (!by || *by > 47 || !is_fine(*value << *by)) return at_ = before, value;
      value = *value << *by;
    }
    return value;
  }
  std::optional<int64_t> sum() {
    std::optional<int64_t> value = product();
    while (value && at_ < tokens_.size() && is_one_of(tokens_[at_], {"+", "-"})) {
      size_t before = at_;
      bool adds = tokens_[at_++].is("+");
      std::optional<int64_t> other = product();
      if (!other || !is_fine(adds ? *value + *other : *value - *other)) return at_ = before, value;
      value = adds ? *value + *other : *value - *other;
    }
    return value;
  }
  std::optional<int64_t> product() {
    std::optional<int64_t> value = factor();
    while (value && at_ < tokens_.size() && tokens_[at_].is("*")) {
      size_t before = at_++;
      std::optional<int64_t> other = factor();
      if (!other || (*other != 0 && *value > kMost / *other)) return at_ = before, value;
      value = *value * *other;
    }
    return value;
  }
  std::optional<int64_t> factor() {
    if (is_type(at_)) return converted();
    if (takes("(")) return in_brackets();
    if (at_ >= tokens_.size() || tokens_[at_].kind != TokenKind::Number) return std::nullopt;
    return literal(tokens_[at_].text);
  }
  // size_t(1024).
  std::optional<int64_t> converted() {
    size_t before = at_;
    while (is_type(at_)) at_++;
    std::optional<int64_t> value = takes("(") ? in_brackets() : std::nullopt;
    if (!value) at_ = before;
    return value;
  }
  // Behind the opening one: (1024 + 8), (size_t)1024.
  std::optional<int64_t> in_brackets() {
    size_t before = at_ - 1;
    if (is_type(at_)) {
      while (is_type(at_)) at_++;
      if (takes(")"))
        if (std::optional<int64_t> value = factor()) return value;
    } else if (std::optional<int64_t> value = shifted(); value && takes(")")) {
      return value;
    }
    at_ = before;
    return std::nullopt;
  }
  // 2e9, which is a whole number.
  static std::string without_exponent(const std::string& text) {
    size_t sign = text.find_first_of("eE");
    bool is_whole = sign != text.npos && sign > 0 && sign + 1 < text.size() && sign + 3 >= text.size() &&
                    text.find_first_not_of("0123456789") == sign &&
                    text.find_first_not_of("0123456789", sign + 1) == text.npos;
    return is_whole ? text.substr(0, sign) + std::string(std::stoul(text.substr(sign + 1)), '0') : text;
  }
  std::optional<int64_t> literal(std::string text) {
    std::erase(text, '\'');
    text = without_exponent(text);
    size_t digits = text.find_first_of("uUlLzZ");
    std::string suffix = digits == text.npos ? "" : text.substr(digits);
    text = text.substr(0, digits);
    bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    bool is_plain = is_hex || (text.find_first_not_of("0123456789") == text.npos && (text == "0" || text[0] != '0'));
    if (!is_plain || text.size() > 14) return std::nullopt;
    size_t past = 0;
    int64_t value = std::stoll(text, &past, is_hex ? 16 : 10);
    if (past != text.size() || !is_fine(value)) return std::nullopt;
    at_++;
    if (suffix_.empty()) suffix_ = suffix;
    return value;
  }

  const Tokens& tokens_;
  size_t at_;
  std::string suffix_;
};

// Which names the definition of a name uses, over all files.
class NameFlow {
 public:
  void add_file(const Tokens& tokens) {
    mark_device_code(tokens);
    find_functions(tokens);
  }
  // After all functions are known.
  void add_uses(const Tokens& tokens) {
    mark_device_code(tokens);
    for (size_t i = 0; i < tokens.size(); i++) {
      add_definition(tokens, i);
      add_call(tokens, i);
      add_launch(tokens, i);
      add_selection(tokens, i);
      add_loop(tokens, i);
    }
  }

  std::set<std::string> sizes() const { return closure(sizes_); }
  std::set<std::string> selects() const { return closure(selects_); }
  std::set<std::string> repeats() const { return closure(repeats_); }

 private:
  // From __global__ or __device__ to the end of the function's body.
  void mark_device_code(const Tokens& tokens) {
    is_device_.assign(tokens.size(), false);
    for (size_t i = 0; i < tokens.size(); i++) {
      if (!is_one_of(tokens[i], {"__global__", "__device__"})) continue;
      size_t body = i;
      while (body < tokens.size() && !is_one_of(tokens[body], {"{", ";"})) body++;
      size_t end = body < tokens.size() && tokens[body].is("{") ? past_closing(tokens, body) : body;
      std::fill(is_device_.begin() + static_cast<ptrdiff_t>(i), is_device_.begin() + static_cast<ptrdiff_t>(end), true);
      i = end;
    }
  }

  static bool is_call(const Tokens& tokens, size_t at) {
    return is_name(tokens[at]) && at + 1 < tokens.size() && tokens[at + 1].is("(");
  }
  static TokenSpan list_of(const Tokens& tokens, size_t open) { return {open + 1, past_closing(tokens, open) - 1}; }

  // NAME ( PARAMETERS ) { or : of a constructor.
  void find_functions(const Tokens& tokens) {
    for (size_t i = 1; i < tokens.size(); i++) {
      if (!is_call(tokens, i)) continue;
      size_t end = past_closing(tokens, i + 1);
      if (end >= tokens.size() || !is_one_of(tokens[end], {"{", ":"})) continue;
      if (!is_name(tokens[i - 1]) && !is_one_of(tokens[i - 1], {"*", "&", ">", "{", "}", ";", "::"})) continue;
      if (is_one_of(tokens[i], {"if", "for", "while", "switch"})) continue;
      std::vector<std::string> parameters;
      for (TokenSpan part : parts_of(tokens, {i + 2, end - 1})) parameters.push_back(parameter_name(tokens, part));
      functions_[tokens[i].text] = parameters;
    }
  }
  static std::string parameter_name(const Tokens& tokens, TokenSpan part) {
    std::string name;
    for (size_t i = part.begin; i < part.end && !tokens[i].is("="); i++)
      if (is_name(tokens[i])) name = tokens[i].text;
    return name;
  }

  static bool is_assignment(const Tokens& tokens, size_t at) {
    return tokens[at].is("=") && at > 0 && is_name(tokens[at - 1]);
  }

  // NAME = ...;   TYPE NAME(...)   # define NAME ...
  void add_definition(const Tokens& tokens, size_t at) {
    if (is_assignment(tokens, at)) return use(tokens[at - 1].text, tokens, {at + 1, expression_end(tokens, at + 1)});
    bool is_built = at > 0 && is_name(tokens[at]) && at + 1 < tokens.size() && is_one_of(tokens[at + 1], {"(", "{"}) &&
                    (is_name(tokens[at - 1]) || tokens[at - 1].is(">"));
    if (is_built) use(tokens[at].text, tokens, list_of(tokens, at + 1));
    bool is_macro = tokens[at].is("define") && tokens[at].in_directive && at + 1 < tokens.size();
    if (!is_macro) return;
    size_t end = at + 2;
    while (end < tokens.size() && tokens[end].in_directive && !tokens[end].starts_line) end++;
    use(tokens[at + 1].text, tokens, {at + 2, end});
  }

  static size_t expression_end(const Tokens& tokens, size_t at) {
    int depth = 0;
    for (; at < tokens.size(); at++) {
      if (is_one_of(tokens[at], {"(", "[", "{"})) depth++;
      if (is_one_of(tokens[at], {")", "]", "}"}) && --depth < 0) return at;
      if (depth == 0 && is_one_of(tokens[at], {";", ","})) return at;
    }
    return at;
  }

  void use(const std::string& name, const Tokens& tokens, TokenSpan span) { uses_[name].merge(names_in(tokens, span)); }

  static bool takes_sizes(const std::string& name) {
    for (const char* beginning : {"nccl", "cudaMalloc", "cudaHostAlloc", "cudaMemcpy", "cudaMemset"})
      if (name.starts_with(beginning)) return true;
    return name == "malloc" || name == "calloc" || name == "resize";
  }

  void add_call(const Tokens& tokens, size_t at) {
    if (tokens[at].is("new") || !is_call(tokens, at)) return;
    TokenSpan list = list_of(tokens, at + 1);
    if (takes_sizes(tokens[at].text) && !is_device_[at]) sizes_.merge(names_in(tokens, list));
    auto function = functions_.find(callee_of(tokens, at));
    if (function == functions_.end()) return;
    std::vector<TokenSpan> parts = parts_of(tokens, list);
    for (size_t i = 0; i < parts.size() && i < function->second.size(); i++)
      if (!function->second[i].empty()) use(function->second[i], tokens, parts[i]);
  }

  // In TYPE NAME(...) and TYPE<...> NAME(...) the constructor is called.
  std::string callee_of(const Tokens& tokens, size_t at) const {
    if (functions_.contains(tokens[at].text) || at == 0) return tokens[at].text;
    size_t type = at - 1;
    if (tokens[type].is(">"))
      while (type > 0 && !tokens[type].is("<")) type--;
    if (tokens[type].is("<") && type > 0) type--;
    return tokens[type].text;
  }

  static bool opens_launch(const Tokens& tokens, size_t at) {
    return at + 2 < tokens.size() && tokens[at].is("<") && tokens[at + 1].is("<") && tokens[at + 2].is("<");
  }

  // KERNEL<<<GRID, BLOCK, ...>>>
  void add_launch(const Tokens& tokens, size_t at) {
    if (!opens_launch(tokens, at)) return;
    size_t end = at + 3;
    while (end + 2 < tokens.size() && !(tokens[end].is(">") && tokens[end + 1].is(">") && tokens[end + 2].is(">")))
      end++;
    std::vector<TokenSpan> parts = parts_of(tokens, {at + 3, end});
    sizes_.merge(names_in(tokens, parts[0]));
    if (parts.size() > 1) selects_.merge(names_in(tokens, parts[1]));
  }

  void add_selection(const Tokens& tokens, size_t at) {
    if (tokens[at].is("__launch_bounds__") && at + 1 < tokens.size())
      selects_.merge(names_in(tokens, list_of(tokens, at + 1)));
    if (tokens[at].is("__shared__")) selects_.merge(names_in(tokens, {at, expression_end(tokens, at)}));
    if (tokens[at].is("[") && is_device_[at]) add_dimension(tokens, at);
    if (tokens[at].is("<") && at > 0 && is_name(tokens[at - 1])) add_template_arguments(tokens, at);
  }

  // float part[TILE]: the name is declared here, not used.
  void add_dimension(const Tokens& tokens, size_t at) {
    bool declares = at > 1 && is_name(tokens[at - 1]) && is_name(tokens[at - 2]) && !tokens[at - 2].is("return");
    if (declares) selects_.merge(names_in(tokens, list_of(tokens, at)));
  }

  void add_template_arguments(const Tokens& tokens, size_t at) {
    size_t end = at + 1;
    while (end < tokens.size() &&
           (is_name(tokens[end]) || tokens[end].kind == TokenKind::Number || is_one_of(tokens[end], {",", "::", "*"})))
      end++;
    bool closes = end + 1 < tokens.size() && tokens[end].is(">") && is_one_of(tokens[end + 1], {"(", "<", "::"});
    if (closes) selects_.merge(names_in(tokens, {at + 1, end}));
  }

  // for (...; CONDITION; ...)
  void add_loop(const Tokens& tokens, size_t at) {
    if (!tokens[at].is("for") || is_device_[at] || at + 1 >= tokens.size() || !tokens[at + 1].is("(")) return;
    size_t end = past_closing(tokens, at + 1), first = at + 2;
    while (first < end && !tokens[first].is(";")) first++;
    size_t last = first + 1;
    while (last < end && !tokens[last].is(";")) last++;
    repeats_.merge(names_in(tokens, {first, std::min(last, end)}));
  }

  std::set<std::string> closure(std::set<std::string> reached) const {
    std::vector<std::string> open(reached.begin(), reached.end());
    while (!open.empty()) {
      auto uses = uses_.find(open.back());
      open.pop_back();
      if (uses == uses_.end()) continue;
      for (const std::string& name : uses->second)
        if (reached.insert(name).second) open.push_back(name);
    }
    return reached;
  }

  std::map<std::string, std::vector<std::string>> functions_;  // Parameters by name.
  std::map<std::string, std::set<std::string>> uses_;
  std::set<std::string> sizes_, selects_, repeats_;
  std::vector<bool> is_device_;  // Of the tokens that are looked at.
};

// The numbers of one file.
class NumberFinder {
 public:
  NumberFinder(const SourceFile& file, int64_t least) : file_(file), least_(least), tokens_(code_of(file.text)) {}

  std::vector<TextNumber> find() {
    for (at_ = 0; at_ < tokens_.size(); at_++) step();
    return std::move(found_);
  }

 private:
  void step() {
    const Token& token = tokens_[at_];
    if (token.starts_line && token.is("#")) return read_directive();
    if (token.in_directive) return;
    if (is_one_of(token, {";", "{", "}"})) statement_ = at_ + 1, name_.clear();
    if (token.is("=") && at_ > 0 && is_name(tokens_[at_ - 1])) name_ = tokens_[at_ - 1].text;
    if (token.is("{") && at_ > 1 && is_name(tokens_[at_ - 1]) && is_name(tokens_[at_ - 2]))
      name_ = tokens_[at_ - 1].text;
    bool may_follow = is_one_of(token, {"=", ":", "?", ",", "(", "{"});
    if (may_follow && !name_.empty()) return read_number(at_ + 1);
    if (token.is("<")) read_bound();
  }

  // for (...; NAME <= VALUE; ...)
  void read_bound() {
    bool is_condition = at_ > 1 && is_name(tokens_[at_ - 1]) && tokens_[at_ - 2].is(";") && statement_ == at_ - 1;
    if (!is_condition) return;
    name_ = tokens_[at_ - 1].text;
    bool is_equal = at_ + 1 < tokens_.size() && tokens_[at_ + 1].is("=");
    read_number(at_ + (is_equal ? 2 : 1));
    name_.clear();
  }

  // # define NAME VALUE
  void read_directive() {
    size_t end = at_ + 1;
    while (end < tokens_.size() && tokens_[end].in_directive && !tokens_[end].starts_line) end++;
    bool defines = at_ + 3 < end && tokens_[at_ + 1].is("define");
    if (defines) {
      LiteralReader reader(tokens_, at_ + 3);
      std::optional<int64_t> value = reader.read();
      name_ = tokens_[at_ + 2].text;
      if (value && reader.at() == end) add({at_, at_ + 3}, {at_ + 3, end}, *value, reader.suffix());
    }
    statement_ = end;
    name_.clear();
    at_ = end - 1;
  }

  void read_number(size_t begin) {
    LiteralReader reader(tokens_, begin);
    std::optional<int64_t> value = reader.read();
    size_t end = reader.at();
    if (!value || end >= tokens_.size() || !is_one_of(tokens_[end], {";", ",", ")", "}", ":"})) return;
    add({statement_, begin}, {begin, end}, *value, reader.suffix());
    // What follows in the statement is told apart from here on.
    statement_ = end;
    at_ = end - 1;
  }

  void add(TokenSpan declaration, TokenSpan number, int64_t value, const std::string& suffix) {
    if (value < least_) return;
    TextNumber found{name_, value, tokens_[number.begin].line, {}, false, false, false, suffix};
    found.change = {file_.name, text_of(tokens_, declaration), text_of(tokens_, number), ""};
    if (with_constant(file_, found.change)) found_.push_back(std::move(found));
  }

  const SourceFile& file_;
  int64_t least_;
  Tokens tokens_;
  size_t at_ = 0, statement_ = 0;
  std::string name_;  // That the statement gives a value; empty: none.
  std::vector<TextNumber> found_;
};

// Places of the words, one after the other, in the tokens.
std::vector<size_t> places_of(const Tokens& tokens, const Tokens& words) {
  std::vector<size_t> places;
  for (size_t i = 0; i + words.size() <= tokens.size(); i++) {
    auto is_equal = [&](size_t k) { return tokens[i + k].text == words[k].text; };
    size_t same = 0;
    while (same < words.size() && is_equal(same)) same++;
    if (same == words.size()) places.push_back(i);
  }
  return places;
}

}  // namespace

Result<std::string> with_constant(const SourceFile& file, const ConstantChange& change) {
  Tokens tokens = code_of(file.text), value = code_of(change.before);
  Tokens words = code_of(change.declaration);
  size_t before = words.size();
  words.insert(words.end(), value.begin(), value.end());
  std::vector<size_t> places = places_of(tokens, words);
  std::string wanted = concat("'", change.declaration, " ", change.before, "'");
  if (places.empty()) return Error{concat(file.name, ": has no ", wanted, ", which proof sizes change")};
  if (places.size() > 1)
    return Error{concat(file.name, ": has ", wanted, " ", places.size(), " times, and proof sizes change one")};
  size_t first = places[0] + before, last = places[0] + words.size() - 1;
  return concat(file.text.substr(0, tokens[first].begin), change.after, file.text.substr(tokens[last].end));
}

std::vector<TextNumber> text_numbers(const std::vector<SourceFile>& files, int64_t least) {
  NameFlow flow;
  for (const SourceFile& file : files) flow.add_file(code_of(file.text));
  for (const SourceFile& file : files) flow.add_uses(code_of(file.text));
  std::set<std::string> sizes = flow.sizes(), selects = flow.selects(), repeats = flow.repeats();
  std::vector<TextNumber> all;
  for (const SourceFile& file : files)
    for (TextNumber& number : NumberFinder(file, least).find()) {
      number.sizes = sizes.contains(number.name);
      number.selects = selects.contains(number.name);
      number.repeats = repeats.contains(number.name);
      all.push_back(std::move(number));
    }
  return all;
}

std::string largest_fixed_size(const std::vector<SourceFile>& files) {
  std::string place;
  int64_t largest = 0;
  for (const SourceFile& file : files) {
    Tokens tokens = code_of(file.text);
    for (size_t i = 1; i < tokens.size(); i++) {
      if (!is_one_of(tokens[i - 1], {"(", ",", "=", "<", "["})) continue;
      std::optional<int64_t> value = LiteralReader(tokens, i).read();
      if (!value || *value <= largest) continue;
      largest = *value;
      place = concat(file.name, ":", tokens[i].line, ": ", *value);
    }
  }
  return place;
}

}  // namespace cuco::evaluate
