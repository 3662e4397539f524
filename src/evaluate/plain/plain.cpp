#include "evaluate/plain/plain.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "base/text.h"
#include "evaluate/plain/element_names.h"
#include "model/step_facts.h"

namespace cuco::evaluate {

namespace {

void set_element(CapturedOutput& output, Element element) {
  if (output.bytes.size() % bytes_of(element) != 0) return;
  output.element = static_cast<uint32_t>(element);
  output.count = output.bytes.size() / bytes_of(element);
}

bool is_copy(const CapturedOutput& output) { return output.name.starts_with("the copy"); }

// "the copy at dir/program.cu:88" is the operation of that line.
bool stands_at(const model::Program& program, const model::Operation& operation, std::string_view name) {
  if (operation.range.file >= program.files.size()) return false;
  std::string file = std::filesystem::path(program.files[operation.range.file].path).filename().string();
  return name.ends_with(concat("/", file, ":", operation.range.line)) ||
         name.ends_with(concat(" ", file, ":", operation.range.line));
}

// Of the buffer that the copy at this place reads from or writes to.
std::optional<Element> copied_element(const model::Program& program, std::string_view place,
                                      bool (*touches)(model::Access)) {
  for (const model::Step& step : program.steps) {
    const model::Operation& operation = program.operations[step.operation];
    if (operation.kind != model::OperationKind::Copy || !stands_at(program, operation, place)) continue;
    for (const model::Region& region : step.regions)
      if (touches(region.access) && region.buffer < program.buffers.size())
        if (auto element = element_named(program.buffers[region.buffer].element_type)) return element;
  }
  return std::nullopt;
}

bool is_written_in_region(const model::Program& program, model::Index buffer) {
  for (model::Index step = 0; step < program.steps.size(); step++)
    if (model::in_timed_region(program, step))
      for (const model::Region& region : program.steps[step].regions)
        if (region.buffer == buffer && model::writes(region.access)) return true;
  return false;
}

// Whatever the copy at this place reads, from wherever it is called.
bool reads_what_region_writes(const model::Program& program, std::string_view place) {
  bool any = false;
  for (const model::Step& step : program.steps) {
    const model::Operation& operation = program.operations[step.operation];
    if (operation.kind != model::OperationKind::Copy || !stands_at(program, operation, place)) continue;
    for (const model::Region& region : step.regions) {
      if (!model::reads(region.access) || region.buffer >= program.buffers.size()) continue;
      if (!is_written_in_region(program, region.buffer)) return false;
      any = true;
    }
  }
  return any;
}

std::string calls_text(const PlainRun& run) {
  if (run.own_calls > 1) return concat("and its own loop calls its region ", run.own_calls, " times");
  if (run.calls > 1) return concat("and its region is called ", run.calls, " times in a schedule");
  return concat("and its region is called once (", run.once, ")");
}

}  // namespace

void describe_baseline(Capture& capture, const model::Program& program) {
  for (CapturedOutput& output : capture) {
    if (!is_copy(output)) continue;
    if (std::optional<Element> element = copied_element(program, output.name, model::reads))
      set_element(output, *element);
    output.name = concat("copy to host ", output.buffer);
  }
}

void describe_candidate(Capture& capture, const Capture& baseline) {
  for (CapturedOutput& output : capture)
    for (const CapturedOutput& known : baseline) {
      if (known.rank != output.rank || known.buffer != output.buffer || known.iteration != output.iteration) continue;
      if (is_copy(output)) set_element(output, static_cast<Element>(known.element));
      if (is_copy(output)) output.name = concat("copy to host ", output.buffer);
    }
}

std::vector<vcluster::Watch> watches_of(const Capture& baseline) {
  std::vector<vcluster::Watch> watches;
  std::map<std::pair<uint32_t, uint32_t>, bool> seen;
  for (const CapturedOutput& output : baseline) {
    vcluster::Watch watch;
    std::string word, at, byte;
    std::istringstream in(output.name);
    if (!(in >> word >> watch.allocation >> at >> byte >> watch.offset) || word != "allocation") continue;
    if (!seen.emplace(std::pair(output.rank, output.buffer), true).second) continue;
    watch.rank = static_cast<int>(output.rank);
    watch.count = output.count;
    watch.element = output.element;
    watches.push_back(watch);
  }
  return watches;
}

std::vector<vcluster::Upload> floating_uploads(const vcluster::RunReport& report, const model::Program& program) {
  std::map<uint64_t, std::optional<Element>> elements;
  for (const vcluster::UploadReport& upload : report.uploads) {
    std::optional<Element> element = copied_element(program, upload.what, model::writes);
    auto [known, is_first] = elements.emplace(upload.digest, element);
    if (!is_first && known->second != element) known->second.reset();
  }
  std::vector<vcluster::Upload> uploads;
  for (const auto& [digest, element] : elements)
    if (element && is_floating(*element)) uploads.push_back({digest, static_cast<uint32_t>(*element)});
  return uploads;
}

std::set<std::pair<int, uint32_t>> region_outputs(const vcluster::RunReport& report, const model::Program& program) {
  std::set<std::pair<int, uint32_t>> outputs;
  for (const vcluster::ReadBack& place : report.read_backs)
    if (reads_what_region_writes(program, place.what)) outputs.emplace(place.rank, place.buffer);
  return outputs;
}

std::vector<vcluster::ReadBack> chosen(std::vector<vcluster::ReadBack> places,
                                       const std::set<std::pair<int, uint32_t>>& outputs) {
  std::erase_if(places, [&](const vcluster::ReadBack& place) { return !outputs.contains({place.rank, place.buffer}); });
  return places;
}

std::string to_text(const PlainRun& run) {
  std::string text = concat(run.own_inputs, "\n", run.once, "\n", run.tolerance, "\n", run.calls, " ", run.own_calls, " ", run.exit_code,
                            " ", run.own_device, "\n");
  for (const vcluster::Upload& upload : run.perturbed)
    text += concat("upload ", upload.digest, " ", upload.element, "\n");
  for (const auto& [rank, buffer] : run.read) text += concat("read ", rank, " ", buffer, "\n");
  return text;
}

std::optional<PlainRun> parse_plain_run(const std::string& text) {
  PlainRun run;
  std::istringstream in(text);
  std::getline(in, run.own_inputs);
  std::getline(in, run.once);
  std::getline(in, run.tolerance);
  if (!(in >> run.calls >> run.own_calls >> run.exit_code >> run.own_device)) return std::nullopt;
  std::string word;
  uint64_t first = 0;
  uint32_t second = 0;
  while (in >> word >> first >> second) {
    if (word == "upload") run.perturbed.push_back({first, second});
    if (word == "read") run.read.emplace(static_cast<int>(first), second);
  }
  return run;
}

std::string plain_note(const Capture& baseline, const PlainRun& run) {
  bool copies = std::any_of(baseline.begin(), baseline.end(),
                            [](const CapturedOutput& output) { return output.name.starts_with("copy to host"); });
  return concat("the program has no harness: ",
                copies             ? "what it copies back to the host is compared"
                : baseline.empty() ? "it puts nothing out that could be compared, and only how it runs is"
                                   : "what its last communication received is compared",
                run.own_inputs.empty() ? ", what it copies to its devices before the region is changed on every rank"
                                       : concat(", its inputs are its own (", run.own_inputs, ")"),
                ", nothing is poisoned, ", calls_text(run), run.tolerance.empty() ? "" : concat("; ", run.tolerance),
                run.exit_code == 0 ? "" : concat("; the original ends with code ", run.exit_code, ", which is its own"),
                run.own_device
                    ? "; all ranks choose the same GPU, so each sees one of its own alone, as a launcher can arrange"
                    : "",
                "; cuco init can write a workload from it");
}

}  // namespace cuco::evaluate
