#include "evaluate/text/text_check.h"

#include <set>

#include "base/printable.h"
#include "base/text.h"
#include "evaluate/text/block_scan.h"

namespace cuco::evaluate {

namespace {

Finding text_finding(std::string kind, const std::string& text) {
  Finding finding;
  finding.level = Level::Text;
  finding.kind = std::move(kind);
  finding.text = printable(text);
  return finding;
}

struct CheckedFile {
  const SourceFile* file;
  std::vector<Token> tokens;
  std::vector<EvolveBlock> blocks;
};

Result<CheckedFile> open_file(const SourceFile& file) {
  CheckedFile checked{&file, lex(file.text), {}};
  Result<std::vector<EvolveBlock>> blocks = find_blocks(file, checked.tokens);
  if (!blocks) return blocks.error();
  checked.blocks = std::move(*blocks);
  return checked;
}

std::vector<Finding> check_frozen(const TextCheck& check, const std::vector<CheckedFile>& candidate) {
  if (check.parent.size() != check.candidate.size())
    return {text_finding("frozen_text", "the candidate has other files than its parent")};
  for (size_t i = 0; i < candidate.size(); i++) {
    Result<CheckedFile> parent = open_file(check.parent[i]);
    if (!parent) return {text_finding("marker", parent.error().message)};
    std::vector<Finding> found =
        compare_frozen(check.parent[i], parent->blocks, *candidate[i].file, candidate[i].blocks);
    if (found.empty()) continue;
    if (parent->blocks.empty())
      found[0].text += concat("; ", check.parent[i].name, " has no evolve block, so all of it is frozen");
    return found;
  }
  return {};
}

FrozenNames frozen_names(const std::vector<CheckedFile>& files) {
  FrozenNames names;
  for (const CheckedFile& file : files)
    for (size_t i = 0; i < file.tokens.size(); i++) {
      const Token& token = file.tokens[i];
      if (token.kind != TokenKind::Identifier || is_inside(file.blocks, token)) continue;
      names.all.insert(token.text);
      bool is_harness = i > 0 && file.tokens[i - 1].is("Harness");
      if (is_harness) names.harnesses.insert(token.text);
    }
  return names;
}

std::vector<Finding> scan_blocks(const std::vector<CheckedFile>& files) {
  FrozenNames frozen = frozen_names(files);
  std::vector<Finding> findings;
  for (const CheckedFile& file : files)
    for (const EvolveBlock& block : file.blocks) {
      std::vector<Token> inside;
      for (const Token& token : file.tokens)
        if (is_inside({block}, token) && !token.is_comment()) inside.push_back(token);
      for (const Complaint& complaint : scan_block(inside, frozen))
        findings.push_back(
            text_finding("forbidden", concat(file.file->name, ":", complaint.line, ": ", complaint.what)));
    }
  return findings;
}

bool is_its_parent(const TextCheck& check) {
  if (check.parent.size() != check.candidate.size()) return false;
  for (size_t i = 0; i < check.candidate.size(); i++)
    if (check.candidate[i].text != check.parent[i].text) return false;
  return true;
}

}  // namespace

std::vector<Finding> check_text(const TextCheck& check) {
  if (is_its_parent(check)) return {};
  std::vector<CheckedFile> files;
  for (const SourceFile& file : check.candidate) {
    Result<CheckedFile> checked = open_file(file);
    if (!checked) return {text_finding("marker", checked.error().message)};
    files.push_back(std::move(*checked));
  }
  if (!check.rewritten)
    if (std::vector<Finding> found = check_frozen(check, files); !found.empty()) return found;
  return scan_blocks(files);
}

}  // namespace cuco::evaluate
