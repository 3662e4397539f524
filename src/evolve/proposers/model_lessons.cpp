#include "evolve/proposers/model_lessons.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "evolve/proposers/member_text.h"

namespace cuco::evolve {

namespace {

constexpr std::string_view kKnown = "What is known:\n";
constexpr std::string_view kNext = "What to try next:\n";

std::string scratchpad_in(const std::vector<store::Lesson>& lessons, const std::string& author) {
  for (const store::Lesson& lesson : lessons)
    if (lesson.author == author && lesson.text.starts_with(kKnown)) return lesson.text.substr(kKnown.size());
  return {};
}

// Best of the latest first: entries that do not fit are lost from the end.
std::vector<const Member*> latest(const std::vector<Member>& members, size_t count_max) {
  std::vector<const Member*> chosen;
  for (size_t i = members.size() - std::min(members.size(), count_max); i < members.size(); ++i)
    chosen.push_back(&members[i]);
  std::stable_sort(chosen.begin(), chosen.end(), [](const Member* a, const Member* b) { return a->score > b->score; });
  return chosen;
}

std::string best_text(const std::vector<Member>& members) {
  auto best = std::max_element(members.begin(), members.end(),
                               [](const Member& a, const Member& b) { return a.score < b.score; });
  return best == members.end() || !best->passed() ? "None has passed yet.\n" : standing_text(*best);
}

}  // namespace

Result<std::unique_ptr<LessonWriter>> ModelLessons::make(ModelLessonsInput input) {
  Result<agent::SummariserPrompts> prompts = agent::SummariserPrompts::load(input.share, input.limits);
  if (!prompts) return prompts.error();
  return std::unique_ptr<LessonWriter>(new ModelLessons(std::move(input), *std::move(prompts)));
}

Result<std::string> ModelLessons::reply_to(const Result<agent::RolePrompt>& prompt) {
  if (!prompt) return prompt.error();
  llm::Progress silent;
  Result<Answer> answer = ask(input_.model, prompt->prompt, input_.progress != nullptr ? *input_.progress : silent);
  if (!answer) return answer.error();
  if (!answer->outcome) return answer->outcome.error();
  cost_usd_ += answer->outcome->cost_usd.value_or(0);
  return std::string(trim(answer->outcome->text));
}

Result<std::vector<store::Lesson>> ModelLessons::write(const std::vector<Member>& members,
                                                       const std::vector<store::Lesson>& earlier) {
  cost_usd_ = 0;
  const std::string& author = input_.model.name;
  std::string outcomes = outcomes_text(latest(members, input_.members_max), members);
  Result<std::string> summary = reply_to(prompts_.summarise(outcomes));
  if (!summary) return summary.error();
  Result<std::string> scratchpad = reply_to(prompts_.update(scratchpad_in(earlier, author), *summary));
  if (!scratchpad) return scratchpad.error();
  Result<std::string> next = reply_to(prompts_.recommend(*scratchpad, best_text(members)));
  if (!next) return next.error();
  return std::vector<store::Lesson>{{author, concat(kKnown, *scratchpad)}, {author, concat(kNext, *next)}};
}

}  // namespace cuco::evolve
