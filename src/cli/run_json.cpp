#include "cli/run_json.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "campaign/found_run.h"

namespace cuco::cli {

namespace {

void write_id(JsonWriter& json, const char* name, store::Id id) {
  json.key(name);
  if (id == store::kNoId)
    json.null();
  else
    json.value(id);
}

void write_judgement(JsonWriter& json, const store::Judgement& judgement) {
  json.begin_object().field("depth", judgement.depth).field("level", judgement.level);
  json.field("passed", judgement.passed);
  campaign::write_optional(json, "time_us", judgement.time_us);
  campaign::write_optional(json, "bound_us", judgement.bound_us);
  campaign::write_optional(json, "hidden", judgement.hidden);
  json.field("score", judgement.score).field("schedules", judgement.schedules).key("verdict");
  if (nlohmann::json::accept(judgement.verdict))
    json.verbatim(trim(judgement.verdict));
  else
    json.value(judgement.verdict);
  json.end_object();
}

void write_files(JsonWriter& json, const std::vector<SourceFile>& files, FileText text) {
  json.key("files").begin_array();
  for (const SourceFile& file : files) {
    json.begin_object().field("name", file.name);
    if (text == FileText::Include) json.field("text", file.text);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_candidate(JsonWriter& json, const store::Candidate& candidate,
                     const std::vector<store::Judgement>& judgements, FileText text) {
  json.begin_object().field("id", candidate.id);
  write_id(json, "parent", candidate.parent);
  write_id(json, "other_parent", candidate.other_parent);
  json.key("inspirations").begin_array();
  for (store::Id source : candidate.inspirations) json.value(source);
  json.end_array().field("island", candidate.island).field("generation", candidate.generation);
  json.field("proposer", candidate.proposer).field("intent", candidate.intent).field("plan", candidate.plan);
  json.field("inferred_plan", candidate.inferred_plan).field("failure", candidate.failure);
  json.field("prompt", candidate.prompt).field("reply", candidate.reply).field("cost_usd", candidate.cost_usd);
  write_files(json, candidate.files, text);
  json.key("judgements").begin_array();
  for (const store::Judgement& judgement : judgements) write_judgement(json, judgement);
  json.end_array().end_object();
}

}  // namespace cuco::cli
