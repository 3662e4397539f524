// Members of a population in words, for the prompts of models: chosen facts, not all of them.
#pragma once

#include <string>
#include <vector>

#include "agent/editable_program.h"
#include "agent/rejection_text.h"
#include "base/result.h"
#include "evolve/proposer.h"
#include "space/plan.h"

namespace cuco::evolve {

// With the blocks of the files, which may be none. An error when their markers do not fit together.
Result<agent::EditableProgram> editable_program(const std::vector<SourceFile>& files);

// "s1 placement: deferred -> split; order: as-written -> remote-first"; empty for equal plans.
std::string plan_difference(const space::Plan& from, const space::Plan& to);

// Plan, time, critical path by category with its largest part besides compute, bound, findings.
std::string standing_text(const Member& member);

// What the evaluation, or the reader of the reply, has against a member.
std::vector<agent::ReportedFinding> reported(const Member& member);
std::vector<agent::ReportedFinding> reported(const evaluate::Verdict& verdict);

// Entries of a section (agent/sections.h), the fastest first: time, intent and plan of all, then code of the fastest:
// changed lines where these are few, else blocks that the parent does not have. Code gives way before facts.
std::string inspirations_text(const std::vector<const Member*>& members, const Member& parent);

// Entries: what was tried and what the evaluation, or the reader of the reply, said about it. The latest first.
std::string failures_text(const std::vector<const Member*>& members, size_t count_max);

// Entries: intent, plan and outcome against the parent's, for somebody who draws lessons.
std::string outcomes_text(const std::vector<const Member*>& members, const std::vector<Member>& all);

}  // namespace cuco::evolve
