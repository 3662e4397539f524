#include "space/plan.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include "base/text.h"

namespace cuco::space {
namespace {

constexpr std::string_view kScheduleWord = "schedule";
constexpr std::string_view kBlanks = " \t\r";
constexpr std::array<std::string_view, 5> kScheduleKeys = {"streams", "order", "ctas", "priority", "waits"};
constexpr std::array<std::string_view, kWorkOrderCount> kOrderWords = {"as-written", "remote-first", "local-first",
                                                                       "side-by-side"};
constexpr std::array<std::string_view, 3> kPriorityWords = {"default", "high", "low"};
constexpr std::array<std::string_view, 2> kWaitsWords = {"stream", "blocks"};
constexpr uint32_t kScheduleNumberMax = 1024;  // Above any GPU's SMs; keeps sums of counts far from overflow.

struct Word {
  size_t offset = 0;  // In its line.
  std::string_view text;
};

std::vector<Word> words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<Word> words;
  for (size_t begin = 0; (begin = line.find_first_not_of(kBlanks, begin)) != std::string_view::npos;) {
    size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back({begin, line.substr(begin, end - begin)});
    begin = end;
  }
  return words;
}

std::optional<TextFault> read_choice(std::string_view word, std::string_view key,
                                     std::span<const std::string_view> known, size_t& value) {
  auto found = std::ranges::find(known, word);
  value = static_cast<size_t>(found - known.begin());
  if (found != known.end()) return std::nullopt;
  std::vector<std::string> names(known.begin(), known.end());
  return TextFault{0, concat(key, " `", word, "` is not one of ", join(names, ", "), suggestion(word, names))};
}

std::optional<TextFault> read_number(std::string_view word, std::string_view key, uint32_t least, uint32_t& number) {
  auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
  bool whole = failure == std::errc() && end == word.data() + word.size();
  if (whole && number >= least && number <= kScheduleNumberMax) return std::nullopt;
  return TextFault{0, concat(key, " `", word, "` is not a number from ", least, " to ", kScheduleNumberMax)};
}

std::optional<TextFault> read_setting(std::string_view key, std::string_view word, Schedule& schedule) {
  if (key == "streams") return read_number(word, key, 0, schedule.streams);
  if (key == "ctas") return read_number(word, key, 1, schedule.communication_ctas);
  size_t value = 0;
  std::span<const std::string_view> known = kPriorityWords;
  if (key == "order") known = kOrderWords;
  if (key == "waits") known = kWaitsWords;
  std::optional<TextFault> fault = read_choice(word, key, known, value);
  if (fault) return fault;
  if (key == "order")
    schedule.order = static_cast<WorkOrder>(value);
  else if (key == "waits")
    schedule.waits = static_cast<Waits>(value);
  else
    schedule.priority = static_cast<StreamPriority>(value);
  return std::nullopt;
}

std::optional<TextFault> read_schedule(std::span<const Word> words, Schedule& schedule) {
  std::vector<std::string_view> seen;
  for (const Word& word : words) {
    size_t equals = word.text.find('=');
    std::string_view key = word.text.substr(0, equals);
    size_t ignored = 0;
    std::optional<TextFault> fault = read_choice(key, "schedule key", kScheduleKeys, ignored);
    if (!fault && equals == std::string_view::npos) fault = TextFault{0, concat("write ", key, "=VALUE")};
    if (!fault && std::ranges::find(seen, key) != seen.end()) fault = TextFault{0, concat(key, " is stated twice")};
    if (fault) return TextFault{word.offset, std::move(fault->message)};
    seen.push_back(key);
    fault = read_setting(key, word.text.substr(equals + 1), schedule);
    if (fault) return TextFault{word.offset + equals + 1, std::move(fault->message)};
  }
  return std::nullopt;
}

std::optional<TextFault> read_site(std::span<const Word> words, Plan& plan) {
  const Word& site = words[0];
  if (find_directive(plan, site.text) != nullptr)
    return TextFault{site.offset, concat("site `", site.text, "` has a directive already")};
  if (words.size() == 1)
    return TextFault{site.offset, concat("site `", site.text, "` has no directive; write `", site.text,
                                         " backend/placement/sync/issuer/chunk`")};
  if (words.size() > 2)
    return TextFault{words[2].offset, concat("`", words[2].text, "` follows the directive; a site has one a line")};
  SiteChoice choice{std::string(site.text), {}};
  if (std::optional<TextFault> fault = read_directive(words[1].text, choice.directive))
    return TextFault{words[1].offset + fault->offset, std::move(fault->message)};
  plan.choices.push_back(std::move(choice));
  return std::nullopt;
}

}  // namespace

const Directive* find_directive(const Plan& plan, std::string_view site) {
  auto found = std::ranges::find(plan.choices, site, &SiteChoice::site);
  return found == plan.choices.end() ? nullptr : &found->directive;
}

std::string to_text(const Schedule& schedule) {
  return concat(kScheduleWord, " streams=", schedule.streams,
                " order=", kOrderWords[static_cast<size_t>(schedule.order)], " ctas=", schedule.communication_ctas,
                " priority=", kPriorityWords[static_cast<size_t>(schedule.priority)],
                schedule.waits == Waits::Stream ? "" : concat(" waits=", kWaitsWords[1]));
}

std::string to_text(const Plan& plan) {
  std::string text;
  for (const SiteChoice& choice : plan.choices) text += concat(choice.site, " ", to_text(choice.directive), "\n");
  return text + to_text(plan.schedule) + "\n";
}

Result<Plan> parse_plan(std::string_view text, std::string_view file) {
  Plan plan;
  bool has_schedule = false;
  size_t line_number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++line_number;
    std::vector<Word> words = words_of(line);
    if (words.empty()) continue;
    bool is_schedule = words[0].text == kScheduleWord;
    std::optional<TextFault> fault;
    if (is_schedule && std::exchange(has_schedule, true))
      fault = TextFault{words[0].offset, "the plan has a schedule already"};
    else
      fault = is_schedule ? read_schedule(std::span(words).subspan(1), plan.schedule) : read_site(words, plan);
    if (fault) return Error{concat(file, ":", line_number, ":", fault->offset + 1, ": ", fault->message)};
  }
  return plan;
}

}  // namespace cuco::space
