#include "agent/proposal_reply.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "agent/edits.h"
#include "agent/fences.h"
#include "agent/reply.h"
#include "base/printable.h"
#include "base/text.h"

namespace cuco::agent {

namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kIntentMark = "INTENT:";
constexpr std::string_view kPlanMark = "PLAN:";
constexpr std::string_view kBlockMark = "BLOCK:";
constexpr std::string_view kMarkerComment = "// EVOLVE-BLOCK-";
constexpr size_t kIntentBytesMax = 300;

bool begins_code(const std::string& line) {
  return marked_word(line, kFileMark) || marked_word(line, kBlockMark) || is_search_mark(line);
}

// A line of a plan without the ornaments of a list or of code.
std::string undressed(std::string_view line) {
  line = trim(line);
  if (line.starts_with("- ")) line.remove_prefix(2);
  return replace_all(std::string(line), "`", "");
}

Error no_plan(const std::vector<std::string>& sites) {
  std::string whose = sites.empty() ? "every site" : concat("each of ", join(sites, ", "));
  return Error{concat("the reply states no plan before its code; begin with a line `PLAN:` and below it a line ",
                      "`site backend/placement/sync/issuer/chunk` for ", whose)};
}

std::optional<size_t> find_plan(const Lines& lines) {
  for (size_t i = 0; i < lines.size() && !begins_code(lines[i]); ++i)
    if (marked_word(lines[i], kPlanMark)) return i;
  return std::nullopt;
}

// The plan's lines, which are emptied in the reply: a fence around them is no code.
std::string take_plan(Lines& lines, size_t mark) {
  std::string text = concat(*marked_word(lines[mark], kPlanMark), "\n");
  lines[mark].clear();
  bool fenced = false, begun = false;
  for (size_t i = mark + 1; i < lines.size() && !begins_code(lines[i]); ++i) {
    bool fence = opens_fence(lines[i]);
    bool blank = trim(lines[i]).empty();
    if (blank && begun && !fenced) break;
    // A fence that opens behind bare lines of a plan is code.
    if (fence && begun && !fenced) break;
    if (!fence) text += concat(undressed(lines[i]), "\n");
    begun = begun || (!fence && !blank);
    lines[i].clear();
    if (fence && fenced) break;
    fenced = fenced || fence;
  }
  return text;
}

Status check_sites(const space::Plan& plan, const std::vector<std::string>& sites) {
  for (const space::SiteChoice& choice : plan.choices)
    if (std::find(sites.begin(), sites.end(), choice.site) == sites.end())
      return Error{concat("PLAN names the site `", choice.site,
                          "`, which the program does not have; its sites: ", join(sites, ", "))};
  for (const std::string& site : sites)
    if (space::find_directive(plan, site) == nullptr)
      return Error{
          concat("PLAN has no directive for the site `", site, "`; state one for each of ", join(sites, ", "))};
  return Done{};
}

space::Plan in_order(const space::Plan& plan, const std::vector<std::string>& sites) {
  space::Plan ordered{{}, plan.schedule};
  for (const std::string& site : sites) ordered.choices.push_back({site, *space::find_directive(plan, site)});
  return ordered;
}

Result<space::Plan> read_plan(Lines& lines, const std::vector<std::string>& sites) {
  std::optional<size_t> mark = find_plan(lines);
  if (!mark) return no_plan(sites);
  Result<space::Plan> plan = space::parse_plan(take_plan(lines, *mark), "PLAN");
  if (!plan) return plan.error();
  if (plan->choices.empty()) return no_plan(sites);
  if (sites.empty()) return plan;
  CUCO_CHECK(check_sites(*plan, sites));
  return in_order(*plan, sites);
}

std::string read_intent(const Lines& lines) {
  for (const std::string& line : lines) {
    if (begins_code(line)) break;
    if (auto intent = marked_word(line, kIntentMark)) return printable(squeeze(intent->substr(0, kIntentBytesMax)));
  }
  return {};
}

Result<size_t> block_index(const std::string& label, size_t block_count) {
  size_t number = 0;
  auto [end, failure] = std::from_chars(label.data(), label.data() + label.size(), number);
  bool read = failure == std::errc() && end == label.data() + label.size();
  if (!read || number == 0 || number > block_count)
    return Error{concat("BLOCK: ", label, " is not a block of the program; it has ", counted(block_count, "block"),
                        ", numbered from 1")};
  return number - 1;
}

// Models repeat the markers around a block, which are not part of it.
std::string without_markers(const std::string& text) {
  Lines lines = split(text, '\n');
  std::erase_if(lines, [](const std::string& line) { return trim(line).starts_with(kMarkerComment); });
  return join(lines, "\n");
}

Result<ProgramText> replace_blocks(const EditableProgram& program, const Lines& lines) {
  Result<std::vector<Fence>> fences = find_fences(lines, kBlockMark);
  if (!fences) return fences.error();
  std::vector<std::string> texts;
  for (size_t i = 0; i < program.blocks.size(); ++i) texts.push_back(block_text(program, i));
  std::vector<std::string> before = texts;
  // Code without a mark illustrates.
  std::erase_if(*fences, [](const Fence& fence) { return fence.label.empty(); });
  if (fences->empty()) return Error{"a BLOCK line has no code block below it; send the block's whole text in one"};
  for (const Fence& fence : *fences) {
    CUCO_TRY(size_t index, block_index(fence.label, texts.size()));
    std::string what = concat("BLOCK: ", fence.label);
    CUCO_CHECK(check_complete(before[index], fence.text, what));
    texts[index] = without_markers(fence.text);
  }
  if (texts == before) return Error{"the reply leaves the program as it is; send what must change"};
  return with_blocks(program, texts);
}

Result<ProgramText> read_code(const EditableProgram& program, const Lines& lines) {
  bool edits = std::any_of(lines.begin(), lines.end(), is_search_mark);
  bool blocks = std::any_of(lines.begin(), lines.end(),
                            [](const std::string& line) { return marked_word(line, kBlockMark).has_value(); });
  if (blocks && !edits) return replace_blocks(program, lines);
  return apply_reply(program.files, join(lines, "\n"));
}

}  // namespace

Result<StatedProposal> read_proposal(const EditableProgram& program, const std::vector<std::string>& sites,
                                     std::string_view reply) {
  Lines lines = reply_lines(reply);
  for (std::string& line : lines) line = without_block_number(line);
  StatedProposal stated;
  stated.intent = read_intent(lines);
  Result<space::Plan> plan = read_plan(lines, sites);
  if (!plan) return plan.error();
  stated.plan = *std::move(plan);
  CUCO_TRY(stated.program, read_code(program, lines));
  return stated;
}

Result<space::Plan> read_stated_plan(const std::vector<std::string>& sites, std::string_view reply) {
  Lines lines = reply_lines(reply);
  return read_plan(lines, sites);
}

}  // namespace cuco::agent
