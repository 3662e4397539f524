#include "model/finding_kinds.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/files.h"
#include "base/text.h"

namespace cuco::model {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = CUCO_SOURCE_DIR;

std::set<std::string> names_of_table() {
  std::set<std::string> names;
  for (const FindingKind& kind : kFindingKinds) names.emplace(kind.name);
  return names;
}

// The literal that the text begins with, of small letters and underscores; empty when there is none.
std::string literal_at(std::string_view text) {
  text = trim(text);
  if (text.starts_with("level, ")) text = text.substr(7);
  if (!text.starts_with('"')) return "";
  text = text.substr(1);
  size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
  return end != text.npos && text[end] == '"' ? std::string(text.substr(0, end)) : "";
}

// The literals with which code makes findings: of calls whose name ends in one of these, and of assignments.
std::set<std::string> kinds_in(const std::string& code) {
  constexpr size_t kLongest = 120;
  std::set<std::string> names;
  for (const char* maker : {"finding(", "add_warning(", "misuse(", "report_once(", "end_with(", "finding_of(",
                            "findings.push_back({", "kind = "})
    for (size_t at = code.find(maker); at != code.npos; at = code.find(maker, at + 1))
      names.insert(literal_at(std::string_view(code).substr(at + std::string_view(maker).size(), kLongest)));
  names.erase("");
  return names;
}

std::set<std::string> kinds_in_code() {
  std::set<std::string> names;
  for (const char* folder : {"vcluster", "evaluate", "gpu"})
    for (const auto& entry : fs::recursive_directory_iterator(kSource / "src" / folder))
      if (entry.path().extension() == ".cpp" && !entry.path().stem().string().ends_with("_test"))
        names.merge(kinds_in(*read_file(entry.path())));
  return names;
}

struct Section {
  std::string rule;
  bool has_wrong = false, has_right = false;
};

// By title. A wrong example begins with `// Wrong`, a right one with `// Right`.
std::map<std::string, Section> sections_of_page() {
  std::map<std::string, Section> sections;
  Section* section = nullptr;
  for (const std::string& line : split(*read_file(kSource / "docs" / "findings.md"), '\n')) {
    if (line.starts_with("### ")) section = &sections[line.substr(4)];
    if (!section) continue;
    if (section->rule.empty() && !line.starts_with("### ")) section->rule = line;
    section->has_wrong |= line.starts_with("// Wrong");
    section->has_right |= line.starts_with("// Right");
  }
  return sections;
}

TEST(FindingKinds, AreEachListedOnce) { EXPECT_EQ(names_of_table().size(), std::size(kFindingKinds)); }

TEST(FindingKinds, OfTheCodeAreInTheTable) {
  std::set<std::string> code = kinds_in_code();
  EXPECT_TRUE(code.contains("deadlock") || code.contains("residency_deadlock")) << "the scan finds no kinds";
  for (const std::string& name : code) EXPECT_NE(find_kind(name), nullptr) << name << " is missing in finding_kinds.h";
}

TEST(FindingKinds, ScanSeesEveryWayOfMakingAFinding) {
  std::set<std::string> seen = kinds_in(
      "world->add_finding(\n  \"one\", 0, x); misuse(\"two\", 1, y);\n"
      "level_finding(level, \"three\", z); finding.kind = \"four\";\n"
      "findings.push_back({\"five\", -1, t}); other(\"six\");");
  EXPECT_EQ(seen, (std::set<std::string>{"one", "two", "three", "four", "five"}));
}

TEST(FindingKinds, HaveASectionWithTheirRuleAndAWrongAndARightExample) {
  std::map<std::string, Section> sections = sections_of_page();
  for (const FindingKind& kind : kFindingKinds) {
    std::string name(kind.name);
    ASSERT_TRUE(sections.contains(name)) << "docs/findings.md has no section " << name;
    EXPECT_EQ(sections[name].rule, kind.rule);
    EXPECT_TRUE(sections[name].has_wrong && sections[name].has_right) << name << " lacks an example";
  }
  for (const auto& [title, section] : sections)
    EXPECT_NE(find_kind(title), nullptr) << "docs/findings.md has a section " << title << " that no finding has";
}

}  // namespace
}  // namespace cuco::model
