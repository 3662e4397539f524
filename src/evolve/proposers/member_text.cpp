#include "evolve/proposers/member_text.h"

#include <algorithm>
#include <array>
#include <set>

#include "agent/sections.h"
#include "agent/short_text.h"
#include "base/number_text.h"
#include "base/text.h"
#include "evaluate/text/evolve_blocks.h"
#include "evolve/proposers/changed_lines.h"

namespace cuco::evolve {

namespace {

constexpr size_t kFindingsShown = 3;
constexpr size_t kFindingBytesMax = 600;
constexpr size_t kChangedLinesShown = 40;
constexpr size_t kShownAsCode = 2;       // Members whose blocks are shown,
constexpr size_t kCodeBytesMax = 4'000;  // each as far as this goes.

std::string microseconds(double us) { return with_decimals(us, 3) + " us"; }

std::string heading(const Member& member) { return concat(agent::kEntryMark, "candidate ", member.candidate.id); }

std::string plan_lines(const Member& member) {
  return member.plan ? concat("Plan:\n", space::to_text(*member.plan)) : "Plan: not known.\n";
}

std::string intent_line(const Member& member) {
  return member.candidate.intent.empty() ? "" : concat("Intent: ", member.candidate.intent, "\n");
}

struct Part {
  const char* name;
  double us;
};

std::string largest_part(const evaluate::Timing& timing) {
  const evaluate::CriticalPath& path = timing.path;
  std::array<Part, 4> parts = {{{"exposed communication", path.exposed_communication_us},
                                {"waiting", path.wait_us},
                                {"launches", path.launch_us},
                                {"copies", path.copy_us}}};
  auto most = std::max_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.us < b.us; });
  if (most->us <= 0) return "The critical path is all compute.\n";
  return concat("The largest part of the critical path besides compute is ", most->name, ": ", microseconds(most->us),
                " of ", microseconds(timing.median_us), "; with these kernels nothing is faster than the bound of ",
                microseconds(timing.bound_us()), ", with fewer launches it is lower.\n");
}

// One of each kind: a fault often shows in several places, and each kind says something else about it.
std::string finding_lines(const Member& member) {
  std::string text;
  std::set<std::string> kinds;
  size_t errors = 0;
  for (const evaluate::Finding& finding : member.verdict.findings) {
    if (!finding.is_error()) continue;
    ++errors;
    if (kinds.size() == kFindingsShown || !kinds.insert(finding.kind).second) continue;
    text += concat("- ", finding.kind, ": ", finding.text.substr(0, kFindingBytesMax), "\n");
  }
  return errors > kinds.size() ? concat(text, "- and ", errors - kinds.size(), " more\n") : text;
}

bool communicates(const std::string& block) {
  return block.find("nccl") != std::string::npos || block.find("cuco::comm") != std::string::npos;
}

// As many of its lines as there is room for.
std::string begin_of(const std::string& text, size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  return concat(text.substr(0, text.rfind('\n', bytes_max) + 1), "[the rest is left out]\n");
}

// Blocks of its own, those that communicate first, the largest of them first; libraries are the rewriter's.
std::string own_blocks(const Member& member, const Member& parent) {
  Result<agent::EditableProgram> own = editable_program(member.candidate.files);
  Result<agent::EditableProgram> other = editable_program(parent.candidate.files);
  if (!own || !other) return {};
  std::set<std::string> known;
  for (size_t i = 0; i < other->blocks.size(); ++i) known.insert(agent::block_text(*other, i));
  std::vector<std::string> blocks;
  for (size_t i = 0; i < own->blocks.size(); ++i)
    if (std::string text = agent::block_text(*own, i); !known.contains(text) && !agent::is_library(text))
      blocks.push_back(std::move(text));
  std::ranges::stable_sort(blocks, std::greater<>(),
                           [](const std::string& text) { return std::pair(communicates(text), text.size()); });
  std::string shown = begin_of(join(blocks, ""), kCodeBytesMax);
  return shown.empty() ? shown : concat("```cuda\n", shown, "```\n");
}

// Empty where they are many.
std::string differing_lines(const Member& member, const Member& parent) {
  std::string text;
  for (const SourceFile& file : member.candidate.files) {
    auto before = std::find_if(parent.candidate.files.begin(), parent.candidate.files.end(),
                               [&](const SourceFile& other) { return other.name == file.name; });
    if (before == parent.candidate.files.end()) continue;
    ChangedLines changes = changed_lines(before->text, file.text);
    if (changes.count > kChangedLinesShown) return {};
    if (changes.count > 0) text += concat(file.name, ":\n```\n", join(changes.shown, "\n"), "\n```\n");
  }
  return text;
}

std::string time_against(const Member& member, const Member& parent) {
  if (!member.verdict.timing) return "not timed";
  double us = member.verdict.timing->median_us;
  if (!parent.verdict.timing || us <= 0) return microseconds(us);
  return concat(microseconds(us), ", ", with_decimals(parent.verdict.timing->median_us / us, 3),
                " times as fast as candidate ", parent.candidate.id);
}

std::string plan_change(const Member& from, const Member& to) {
  if (!from.plan || !to.plan) return {};
  std::string difference = plan_difference(*from.plan, *to.plan);
  return difference.empty() ? "Its plan is the same.\n" : concat("Its plan differs: ", difference, "\n");
}

const Member* find_member(const std::vector<Member>& all, store::Id id) {
  auto found = std::find_if(all.begin(), all.end(), [&](const Member& member) { return member.candidate.id == id; });
  return found == all.end() ? nullptr : &*found;
}

std::string why_rejected(const Member& member) {
  if (!member.candidate.failure.empty()) return concat("No program came of it: ", member.candidate.failure, "\n");
  std::string findings = finding_lines(member);
  return findings.empty() ? "It was rejected without a finding.\n" : concat("Rejected:\n", findings);
}

void add_changes(const std::string& site, const space::Directive& from, const space::Directive& to,
                 std::vector<std::string>& changes) {
  for (space::Dimension dimension : space::kDimensions) {
    std::string before = space::value_text(from, dimension), after = space::value_text(to, dimension);
    if (before != after) changes.push_back(concat(site, " ", space::name_of(dimension), ": ", before, " -> ", after));
  }
}

}  // namespace

Result<agent::EditableProgram> editable_program(const std::vector<SourceFile>& files) {
  agent::EditableProgram program;
  for (size_t i = 0; i < files.size(); ++i) {
    SourceFile file{files[i].name, files[i].text};
    Result<std::vector<evaluate::EvolveBlock>> blocks = evaluate::find_blocks(file, evaluate::lex(file.text));
    if (!blocks) return blocks.error();
    for (const evaluate::EvolveBlock& block : *blocks) program.blocks.push_back({i, block.begin, block.end});
    program.files.push_back({files[i].name, files[i].text});
  }
  return program;
}

std::string plan_difference(const space::Plan& from, const space::Plan& to) {
  std::vector<std::string> changes;
  for (const space::SiteChoice& choice : to.choices)
    if (const space::Directive* before = space::find_directive(from, choice.site))
      add_changes(choice.site, *before, choice.directive, changes);
    else
      changes.push_back(concat(choice.site, ": ", space::to_text(choice.directive)));
  for (const space::SiteChoice& choice : from.choices)
    if (space::find_directive(to, choice.site) == nullptr) changes.push_back(concat(choice.site, ": gone"));
  if (from.schedule != to.schedule)
    changes.push_back(concat(space::to_text(from.schedule), " -> ", space::to_text(to.schedule)));
  return join(changes, "; ");
}

std::string standing_text(const Member& member) {
  std::string text = concat("Candidate ", member.candidate.id, ". ", plan_lines(member), intent_line(member));
  if (!member.candidate.failure.empty()) return text + why_rejected(member);
  text += evaluate::to_text(member.verdict);
  if (member.verdict.timing) text += largest_part(*member.verdict.timing);
  return text;
}

std::vector<agent::ReportedFinding> reported(const Member& member) {
  if (!member.candidate.failure.empty()) return {{"reply", -1, member.candidate.failure}};
  return reported(member.verdict);
}

std::vector<agent::ReportedFinding> reported(const evaluate::Verdict& verdict) {
  std::vector<agent::ReportedFinding> findings;
  for (const evaluate::Finding& finding : verdict.findings)
    if (finding.is_error()) findings.push_back({finding.kind, finding.rank, finding.text, finding.other_ranks});
  return findings;
}

std::string inspirations_text(const std::vector<const Member*>& members, const Member& parent) {
  std::vector<const Member*> fastest = members;
  std::ranges::stable_sort(fastest, std::greater<>(), &Member::score);
  std::erase_if(fastest, [&](const Member* member) { return member->candidate.id == parent.candidate.id; });
  std::string facts, codes;
  size_t as_blocks = 0;
  for (const Member* member : fastest) {
    facts +=
        concat(heading(*member), ": ", time_against(*member, parent), "\n", intent_line(*member), plan_lines(*member));
    std::string code = differing_lines(*member, parent);
    if (code.empty() && as_blocks++ < kShownAsCode) code = own_blocks(*member, parent);
    if (!code.empty()) codes += concat(heading(*member), ", code that the program below does not have\n", code);
  }
  return facts + codes;
}

std::string failures_text(const std::vector<const Member*>& members, size_t count_max) {
  std::vector<const Member*> latest = members;
  std::stable_sort(latest.begin(), latest.end(),
                   [](const Member* a, const Member* b) { return a->candidate.id > b->candidate.id; });
  std::string text;
  for (size_t i = 0; i < latest.size() && i < count_max; ++i)
    text +=
        concat(heading(*latest[i]), "\n", intent_line(*latest[i]), plan_lines(*latest[i]), why_rejected(*latest[i]));
  return text;
}

std::string outcomes_text(const std::vector<const Member*>& members, const std::vector<Member>& all) {
  std::string text;
  for (const Member* member : members) {
    const Member* parent = find_member(all, member->candidate.parent);
    text += concat(heading(*member), "\n", intent_line(*member), plan_lines(*member));
    if (parent != nullptr) text += plan_change(*parent, *member);
    if (!member->passed())
      text += why_rejected(*member);
    else
      text += concat("Passed: ", time_against(*member, parent != nullptr ? *parent : *member), "\n",
                     member->verdict.timing ? largest_part(*member->verdict.timing) : "");
  }
  return text;
}

}  // namespace cuco::evolve
