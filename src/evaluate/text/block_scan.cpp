#include "evaluate/text/block_scan.h"

#include <algorithm>

#include "base/text.h"

namespace cuco::evaluate {

namespace {

// Brackets of the code and of each directive are counted apart: a macro's body must be whole in itself.
class Brackets {
 public:
  explicit Brackets(std::vector<Complaint>& complaints) : complaints_(complaints) {}

  void take(const Token& token) {
    if (token.kind != TokenKind::Punctuation) return;
    size_t kind = std::string_view("{[(").find(token.text);
    if (kind != std::string_view::npos) {
      open_.push_back({"}])"[kind], token.line});
      return;
    }
    if (token.text != "}" && token.text != "]" && token.text != ")") return;
    if (open_.empty() || open_.back().close != token.text[0])
      complaints_.push_back({token.line, concat("'", token.text, "' closes what this block did not open")});
    else
      open_.pop_back();
  }
  void end() {
    if (!open_.empty())
      complaints_.push_back({open_.back().line, concat("no '", open_.back().close, "' follows in this block")});
    open_.clear();
  }

 private:
  struct Open {
    char close;
    int line;
  };
  std::vector<Complaint>& complaints_;
  std::vector<Open> open_;
};

void scan_brackets(const std::vector<Token>& tokens, std::vector<Complaint>& complaints) {
  Brackets code(complaints), directive(complaints);
  for (const Token& token : tokens) {
    if (!token.in_directive || token.starts_line) directive.end();
    (token.in_directive ? directive : code).take(token);
  }
  directive.end();
  code.end();
}

// A condition that begins or ends elsewhere would switch frozen text on or off.
void scan_conditions(const std::vector<Token>& tokens, std::vector<Complaint>& complaints) {
  std::vector<int> open;
  for (size_t i = 0; i + 1 < tokens.size(); i++) {
    if (!tokens[i].in_directive || !tokens[i].starts_line) continue;
    const std::string& word = tokens[i + 1].text;
    int line = tokens[i].line;
    if (word.starts_with("if")) open.push_back(line);
    bool continues = word.starts_with("el") || word == "endif";
    if (continues && open.empty())
      complaints.push_back({line, concat("#", word, " belongs to a condition outside of this block")});
    else if (word == "endif")
      open.pop_back();
  }
  for (int line : open) complaints.push_back({line, "the condition does not end in this block"});
}

void scan_odd(const std::vector<Token>& tokens, std::vector<Complaint>& complaints) {
  for (const Token& token : tokens)
    if (token.kind == TokenKind::Odd)
      complaints.push_back({token.line, "a character that is not part of plain C++, or text that does not end"});
}

}  // namespace

void scan_shape(const std::vector<Token>& tokens, std::vector<Complaint>& complaints) {
  scan_odd(tokens, complaints);
  scan_brackets(tokens, complaints);
  scan_conditions(tokens, complaints);
}

std::vector<Complaint> scan_block(const std::vector<Token>& tokens, const FrozenNames& frozen) {
  std::vector<Complaint> complaints;
  scan_shape(tokens, complaints);
  scan_directives(tokens, frozen, complaints);
  scan_names(tokens, frozen, complaints);
  scan_assembly(tokens, complaints);
  std::stable_sort(complaints.begin(), complaints.end(),
                   [](const Complaint& a, const Complaint& b) { return a.line < b.line; });
  return complaints;
}

}  // namespace cuco::evaluate
