#include "report/report.h"

#include "base/number_text.h"
#include "base/text.h"
#include "evaluate/verdict.h"
#include "report/coverage.h"
#include "report/lineage.h"
#include "report/network_lines.h"
#include "report/reasons.h"
#include "report/style.h"

namespace cuco::report {

namespace {

void write_row(Html& html, const char* tag, const std::vector<std::string>& cells) {
  html.open("tr");
  for (const std::string& cell : cells) html.element(tag, cell);
  html.close();
}

std::string schedules_of(const Entry& entry) {
  const store::Judgement* judgement = entry.judgement();
  return judgement && judgement->passed ? counted(judgement->schedules, "schedule") : "";
}

std::vector<std::string> result_cells(const RunView& view, const std::string& name, const Entry& entry) {
  std::optional<double> us = entry.time_us(), gain = speedup(view, entry);
  return {name,
          design_of(entry),
          us ? duration(*us) : "-",
          gain ? factor(*gain) : "-",
          schedules_of(entry),
          entry.hidden_words()};
}

void write_results(Html& html, const ReportInput& input) {
  const RunView& view = input.view;
  html.element(
      "h1", concat(view.campaign.name, view.campaign.configuration.empty() ? "" : ", ", view.campaign.configuration));
  html.element("p", input.setting);
  html.open("table");
  write_row(html, "th", {"", "design", "time", "speed-up", "verified", "hideable communication hidden"});
  if (const Entry* entry = view.find(1); entry && view.baseline != 1)
    write_row(html, "td", result_cells(view, "as written", *entry));
  if (const Entry* entry = view.find(view.baseline)) write_row(html, "td", result_cells(view, "baseline", *entry));
  if (const Entry* entry = view.find(view.fast_path)) write_row(html, "td", result_cells(view, "fast path", *entry));
  if (const Entry* entry = view.find(view.best))
    write_row(html, "td", result_cells(view, concat("best #", view.best), *entry));
  html.close();
  if (std::optional<double> bound_us = view.bound_us())
    html.element("p", concat("Speed-of-light bound: ", duration(*bound_us), "."));
  for (const std::string& line : network_lines(view)) html.element("p", line);
  std::string untimed = view.untimed > 0 ? concat(view.untimed, " not promising enough for the GPU, ") : "";
  html.element("p", concat(counted(view.evaluations, "evaluation"), ", ", view.rejected, " rejected, ", untimed,
                           dollars(view.cost_usd()), ". ", view.stop_reason));
}

std::string result_of(const Entry& entry) {
  if (!entry.candidate.failure.empty()) return concat("no program: ", entry.candidate.failure);
  if (entry.judgement() == nullptr) return "not evaluated";
  if (entry.passed()) return concat(entry.full ? "verified closely" : "passed", doubt_words(entry));
  for (const evaluate::Finding& finding : evaluate::verdict_from_json(entry.judgement()->verdict).findings)
    if (finding.is_error()) return concat(finding.kind, ": ", squeeze(finding.text));
  return "not passed";
}

void write_candidate(Html& html, const RunView& view, const Entry& entry) {
  std::optional<double> us = entry.time_us(), gain = speedup(view, entry);
  const store::Candidate& candidate = entry.candidate;
  html.open("tr", {{"id", concat("c", candidate.id)},
                   {"class", candidate.id == view.best ? "best"
                             : entry.passed()          ? "passed"
                                                       : "failed"}});
  for (const std::string& cell :
       {concat("#", candidate.id), candidate.parent ? concat("#", candidate.parent) : std::string(),
        concat(candidate.generation), concat(candidate.island), candidate.proposer, design_of(entry), candidate.intent,
        us ? duration(*us) : std::string(), gain ? factor(*gain) : std::string(), result_of(entry)})
    html.element("td", cell);
  html.close();
}

void write_tried(Html& html, const RunView& view) {
  html.element("h2", "What was tried");
  html.open("div", {{"class", "wide"}}).open("table");
  write_row(html, "th",
            {"", "from", "generation", "island", "proposer", "design", "intent", "time", "speed-up", "result"});
  for (const Entry& entry : view.entries) write_candidate(html, view, entry);
  html.close().close();
}

void write_list(Html& html, const char* title, const std::vector<std::string>& lines) {
  html.element("h2", title);
  if (lines.empty()) {
    html.element("p", "None.");
    return;
  }
  html.open("ul");
  for (const std::string& line : lines) html.element("li", line);
  html.close();
}

void write_reasons(Html& html, const ReportInput& input) {
  std::vector<std::string> reasons = reasons_of(input.view);
  if (reasons.empty()) return;
  for (const std::string& line : reasons_in(input.timelines)) reasons.push_back(line);
  write_list(html, "Why the best is faster", reasons);
}

void write_timeline_section(Html& html, const ReportInput& input) {
  html.element("h2", "Baseline against best, per rank and stream");
  if (input.timelines.empty())
    html.element("p", input.timeline_note);
  else
    write_timelines(html, input.timelines);
}

const char* class_of_line(const std::string& line) {
  if (line.starts_with("+")) return "added";
  if (line.starts_with("-")) return "removed";
  return line.starts_with("@@") ? "hunk" : "same";
}

void write_diff(Html& html, const std::string& diff) {
  html.element("h2", "From baseline to best");
  if (diff.empty()) {
    html.element("p", "The best program is the baseline.");
    return;
  }
  html.open("pre", {{"class", "diff"}});
  for (const std::string& line : split(diff, '\n')) html.element("span", line, {{"class", class_of_line(line)}});
  html.close();
}

void write_repeat(Html& html, const std::vector<std::string>& commands) {
  html.element("h2", "How to repeat it");
  html.open("pre");
  for (const std::string& command : commands) html.text(command + "\n");
  html.close();
}

void write_head(Html& html, const RunView& view) {
  html.open("head");
  html.leaf("meta", {{"charset", "utf-8"}});
  html.leaf("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.element("title", concat("cuco: ", view.campaign.name, " ", view.campaign.configuration));
  html.style(kStyleSheet);
  html.close();
}

std::vector<std::string> lesson_lines(const RunView& view) {
  std::vector<std::string> lines;
  for (const store::Lesson& lesson : view.lessons) lines.push_back(concat(lesson.text, " (", lesson.author, ")"));
  return lines;
}

std::vector<std::string> event_lines(const RunView& view) {
  std::vector<std::string> lines;
  for (const store::Event& event : view.events) lines.push_back(concat(event.kind, ": ", event.text));
  return lines;
}

}  // namespace

std::string to_html(const ReportInput& input) {
  Html html;
  html.open("html", {{"lang", "en"}});
  write_head(html, input.view);
  html.open("body");
  write_results(html, input);
  write_reasons(html, input);
  html.element("h2", "Best so far");
  write_curve(html, input.view);
  write_timeline_section(html, input);
  html.element("h2", "Coverage of the design space");
  write_coverage(html, input.view);
  write_list(html, "Lessons", lesson_lines(input.view));
  write_tried(html, input.view);
  html.element("h2", "Lineage");
  write_lineage(html, input.view);
  write_list(html, "Events", event_lines(input.view));
  write_diff(html, input.diff);
  write_repeat(html, input.repeat);
  html.close().close();
  return "<!DOCTYPE html>\n" + html.take();
}

}  // namespace cuco::report
