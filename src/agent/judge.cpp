#include "agent/judge.h"

#include "agent/role_prompt.h"
#include "base/printable.h"
#include "base/text.h"

namespace cuco::agent {

Result<Judge> Judge::load(const std::filesystem::path& share, llm::Model& model, JudgeLimits limits) {
  CUCO_TRY(PromptTemplate prompt, PromptTemplate::load(share, "judge", {"directive", "program", "report"}));
  return Judge(model, std::move(prompt), limits);
}

Result<std::string> Judge::diagnose(const ProgramText& program, const std::string& directive, const std::string& report,
                                    llm::Progress& progress, const OnPrompt& on_prompt) const {
  std::vector<Section> sections = {{"directive", directive, 0}, {"program", fenced(program), 0}, {"report", report, 1}};
  CUCO_TRY(RolePrompt made, make_role_prompt(prompt_, sections, limits_.prompt_tokens_max));
  made.prompt.max_tokens = limits_.reply_tokens_max;
  if (on_prompt) on_prompt("judge", made.sizes);
  CUCO_TRY(llm::Reply reply, model_->complete(made.prompt, progress));
  return printable(trim(reply.text));
}

}  // namespace cuco::agent
