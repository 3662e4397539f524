#include <cctype>

#include "base/text.h"
#include "evaluate/text/block_scan.h"

namespace cuco::evaluate {

namespace {

// The opcode of one statement, after its labels' and predicates' place.
std::string first_word(std::string_view statement) {
  statement = trim(statement);
  while (!statement.empty() && (statement[0] == '{' || statement[0] == '}')) statement = trim(statement.substr(1));
  if (statement.starts_with("@")) {
    size_t blank = statement.find_first_of(" \t");
    statement = blank == statement.npos ? "" : trim(statement.substr(blank));
  }
  return std::string(statement.substr(0, statement.find_first_of(" \t,")));
}

bool has_directive(std::string_view statement) {
  return statement.find(" .") != statement.npos || statement.find("\t.") != statement.npos;
}

// Instructions of PTX name their type or scope after a dot, instructions of the host's processors do not; its
// directives begin with a dot, and only those that declare registers are let through.
bool is_ptx(std::string_view statement) {
  std::string word = first_word(statement);
  if (word.empty() || word == ".reg" || word.starts_with(".reg.")) return true;
  if (word.ends_with(':') || has_directive(statement)) return false;
  size_t dot = word.find('.');
  return std::isalpha(static_cast<unsigned char>(word[0])) && dot != word.npos && dot > 0;
}

std::string unescaped(std::string text) {
  for (const char* mark : {"\\n", "\\t", "\\r"}) text = replace_all(std::move(text), mark, " ");
  return text;
}

void check_statements(const std::string& text, int line, std::vector<Complaint>& complaints) {
  if (text.find("//") != std::string::npos || text.find("/*") != std::string::npos)
    complaints.push_back({line, "comments in assembly hide instructions"});
  for (const std::string& statement : split(unescaped(text), ';'))
    if (!is_ptx(statement)) complaints.push_back({line, concat("assembly '", trim(statement), "' is not PTX")});
}

// Behind a declared name it is a label, which gives that name to another's symbol.
bool may_come_before(const Token& token, bool is_terminated) {
  for (const char* text : {"{", "}", ";", ":", "else", "do"})
    if (token.is(text)) return true;
  return token.is(")") && is_terminated;
}

bool begins_assembly(const Token& token) { return token.is("asm") || token.is("__asm__") || token.is("__asm"); }

}  // namespace

void scan_assembly(const std::vector<Token>& tokens, std::vector<Complaint>& complaints) {
  for (size_t i = 0; i < tokens.size(); i++) {
    if (!begins_assembly(tokens[i])) continue;
    size_t at = i + 1;
    while (at < tokens.size() && (tokens[at].is("volatile") || tokens[at].is("__volatile__"))) at++;
    std::string text;
    for (at++; at < tokens.size() && tokens[at].kind == TokenKind::String; at++)
      text += tokens[at].text.substr(1, tokens[at].text.size() - 2);
    bool complete = at < tokens.size() && (tokens[at].is(":") || tokens[at].is("::") || tokens[at].is(")"));
    if (text.empty() || !complete || text.find('"') != std::string::npos)
      complaints.push_back({tokens[i].line, "assembly must be plain string literals, so that it can be read"});
    else if (i > 0 && !may_come_before(tokens[i - 1], text.find(';') != text.npos))
      complaints.push_back({tokens[i].line, "assembly must be a statement; as a label it names another's symbol"});
    else
      check_statements(text, tokens[i].line, complaints);
  }
}

}  // namespace cuco::evaluate
