// cuco lessons: what a search learned on its way.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "campaign/found_run.h"
#include "cli/command.h"
#include "cli/options.h"

namespace cuco::cli {

namespace {

struct LessonsRequest {
  std::string run;
  bool json = false;
};

std::string lessons_json(const std::vector<store::Lesson>& lessons) {
  JsonWriter json;
  json.begin_array();
  for (const store::Lesson& lesson : lessons)
    json.begin_object().field("author", lesson.author).field("text", lesson.text).end_object();
  json.end_array();
  return json.take();
}

Status show_lessons(const LessonsRequest& request, Context& context) {
  Result<store::Store> store = campaign::open_run(request.run);
  if (!store) return store.error();
  Result<std::vector<store::Lesson>> lessons = store->lessons();
  if (!lessons) return lessons.error();
  if (request.json) context.out << lessons_json(*lessons);
  if (request.json) return Done{};
  if (lessons->empty()) context.out << "no lessons yet\n";
  for (const store::Lesson& lesson : *lessons) context.out << lesson.author << ": " << trim(lesson.text) << "\n";
  return Done{};
}

}  // namespace

void add_lessons(CLI::App& app, Action& chosen) {
  auto request = std::make_shared<LessonsRequest>();
  CLI::App* command = app.add_subcommand("lessons", "Show what a run's search learned, in the order it did");
  add_run_option(*command, request->run);
  command->add_flag("--json", request->json, "Print it as JSON");
  command->footer(R"(Examples:
  cuco lessons mine
  cuco lessons runs/mine --json)");
  command->callback(
      [request, &chosen] { chosen = [request](Context& context) { return show_lessons(*request, context); }; });
}

}  // namespace cuco::cli
