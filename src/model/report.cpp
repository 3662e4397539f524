#include "model/report.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.h"
#include "model/report_page.h"
#include "model/step_facts.h"

namespace cuco::model {

namespace {

using Tone = Page::Tone;

std::string quoted_name(const auto& things, Index index, const char* otherwise) {
  return index < things.size() ? in_backticks(things[index].name) : otherwise;
}

// By operation, where it lies when no instance of it is in the region.
std::vector<std::string> find_whens(const Program& program) {
  const TimedRegion& region = program.timed_region;
  std::vector<bool> before(program.operations.size()), inside = before, after = before;
  for (Index step = 0; region.basis != RegionBasis::None && step < program.steps.size(); ++step) {
    std::vector<bool>& where = in_timed_region(program, step) ? inside : step < region.first_step ? before : after;
    where[program.steps[step].operation] = true;
  }
  std::vector<std::string> whens(program.operations.size());
  for (Index index = 0; index < whens.size(); ++index)
    if (!inside[index] && before[index] != after[index])
      whens[index] = before[index] ? ", before the region" : ", after the region";
  return whens;
}

// The rest is for --json: a list that fills the screen tells a reader nothing.
void shorten(std::vector<std::string>& texts) {
  constexpr size_t kTextsMax = 8;
  if (texts.size() <= kTextsMax) return;
  size_t more = texts.size() - kTextsMax + 1;
  texts.resize(kTextsMax - 1);
  texts.push_back(concat("and ", more, " more, all in --json"));
}

class Reporter {
 public:
  Reporter(const Program& program, const CommGraph& graph, bool colour)
      : program_(program), graph_(graph), page_(colour), whens_(find_whens(program)) {
    for (const Site& site : graph.sites)
      for (Index operation : site.operations) site_names_[operation] = site.name;
  }

  std::string write() {
    write_title();
    write_region();
    for (const Site& site : graph_.sites) write_site(site);
    write_windows();
    write_kernels();
    write_diagnostics();
    return page_.take();
  }

 private:
  void write_title();
  void write_region();
  void write_site(const Site& site);
  void write_windows();
  void write_kernels();
  void write_diagnostics();

  std::string place_text(const SourceRange& range) const;
  std::string region_text() const;
  std::string basis_text() const;
  std::string operation_text(Index operation) const;
  std::string transfer_text(const Site& site) const;
  std::string operand_text(const Site& site, bool (*touched)(Access)) const;
  std::string queue_text(const Operation& call) const;
  static std::vector<std::string> condition_texts(const Operation& call);
  std::vector<std::string> loop_texts(const Site& site) const;
  std::vector<std::string> group_texts(const Site& site) const;
  std::vector<std::string> neighbour_texts(const std::vector<Index>& dependences, bool upstream) const;
  std::vector<std::string> overlap_texts(const Site& site) const;
  std::vector<std::string> pointer_texts(const Kernel& kernel) const;

  const Program& program_;
  const CommGraph& graph_;
  Page page_;
  std::vector<std::string> whens_;           // By operation.
  std::map<Index, std::string> site_names_;  // By operation.
};

std::string rank_model_text(RankModel model) {
  switch (model) {
    case RankModel::Mpi:
      return "ranks are MPI processes";
    case RankModel::Threads:
      return "ranks are threads";
    case RankModel::SingleProcess:
      return "one thread drives all ranks";
    case RankModel::Unknown:
      return "how ranks are made was not found";
  }
  return {};
}

void Reporter::write_title() {
  std::vector<std::string> files;
  uint32_t lines = 0;
  for (const ProgramFile& file : program_.files) {
    files.push_back(file.path);
    lines += file.lines;
  }
  page_.line(concat(join(files, ", "), ": ", counted(lines, "line")), Tone::Strong);
  page_.line(concat(counted(graph_.sites.size(), "communication site"), ", ",
                    counted(program_.kernels.size(), "kernel"), "; ", rank_model_text(program_.rank_model)));
}

// Paths are left out where one file is the whole program.
std::string Reporter::place_text(const SourceRange& range) const {
  if (range.file >= program_.files.size()) return "unknown place";
  if (program_.files.size() == 1) return concat("line ", range.line);
  return concat(std::filesystem::path(program_.files[range.file].path).filename().string(), ":", range.line);
}

std::string Reporter::region_text() const {
  const TimedRegion& region = program_.timed_region;
  if (region.basis == RegionBasis::None) return "none found: the program launches nothing and communicates nothing";
  if (region.basis == RegionBasis::Harness) return "what the harness runs";
  const Operation& first = operation_at(program_, region.first_step);
  const Operation& last = operation_at(program_, region.last_step);
  // A helper that reads a clock or records an event is called at either end: the calls are the ends.
  auto parting = std::ranges::mismatch(first.call_path, last.call_path);
  const SourceRange& begin = parting.in1 == first.call_path.end() ? first.range : *parting.in1;
  const SourceRange& end = parting.in2 == last.call_path.end() ? last.range : *parting.in2;
  return concat(place_text(begin), " to ", place_text(end), ", ", basis_text());
}

// How the region was found.
std::string Reporter::basis_text() const {
  const TimedRegion& region = program_.timed_region;
  constexpr const char* kGuess = "; nothing in the program marks it, --region names another";
  switch (region.basis) {
    case RegionBasis::Clock:
      return "between two reads of a clock";
    case RegionBasis::Ranges:
      return "in a range of NVTX or the profiler";
    case RegionBasis::Loop:
      return concat("the outermost loop around the communication", kGuess);
    case RegionBasis::FirstToLast:
      return concat("from the first to the last launch or collective", kGuess);
    case RegionBasis::Named:
      return "as --region names it";
    default:
      return concat("between events ", quoted_name(program_.events, program_.steps[region.first_step].event, "?"),
                    " and ", quoted_name(program_.events, program_.steps[region.last_step].event, "?"));
  }
}

void Reporter::write_region() {
  page_.line(concat("Timed region: ", region_text()));
  std::vector<std::string> outputs;
  for (const Output& output : program_.outputs)
    outputs.push_back(concat(in_backticks(program_.buffers[output.buffer].name), " (", output.reason, ")"));
  page_.line(concat("Outputs: ", outputs.empty() ? "none found" : join(outputs, ", ")));
}

void Reporter::write_site(const Site& site) {
  const Operation& call = program_.operations[site.operations.front()];
  std::string paths = site.operations.size() > 1 ? concat(", on ", site.operations.size(), " call paths") : "";
  page_.heading(concat(site.name, " ", call.callee, " at ", location_text(program_, call.range),
                       call.function.empty() ? "" : " in ", call.function, paths));
  page_.entry("moves", {transfer_text(site)});
  page_.entry("on", {queue_text(call)});
  page_.entry("when", condition_texts(call));
  page_.entry("loop", loop_texts(site));
  page_.entry("group", group_texts(site));
  page_.entry("fed by", neighbour_texts(site.producers, true));
  page_.entry("feeds", neighbour_texts(site.consumers, false));
  page_.entry("overlap", overlap_texts(site));
  if (site.blockers.empty())
    page_.entry("device", {"can be made device-initiated"}, Tone::Good);
  else
    page_.entry("blocked", site.blockers, Tone::Bad);
  if (site.blockers.empty() && !site.staging.empty()) page_.entry("staged", site.staging);
}

// Every buffer that instances of the site touch that way, in order of first use.
std::string Reporter::operand_text(const Site& site, bool (*touched)(Access)) const {
  std::vector<std::string> names;
  for (const Step& step : program_.steps) {
    if (std::find(site.operations.begin(), site.operations.end(), step.operation) == site.operations.end()) continue;
    for (const Region& region : step.regions) {
      if (!touched(region.access)) continue;
      std::string name = quoted_name(program_.buffers, region.buffer, "an unknown buffer");
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return join(names, " or ");
}

std::string Reporter::transfer_text(const Site& site) const {
  const CommunicateDetail& detail = *program_.operations[site.operations.front()].communicate;
  std::string text = concat(squeeze(detail.count), " x ", detail.type);
  if (detail.element_bytes > 0) text += concat(" (", counted(detail.element_bytes, "byte"), " each)");
  std::string source = operand_text(site, reads);
  std::string target = operand_text(site, writes);
  if (detail.in_place && source == target) {
    text += concat(" in place in ", source);
  } else {
    if (!source.empty()) text += concat(" from ", source);
    if (!target.empty()) text += concat(source.empty() ? " into " : " to ", target);
  }
  if (!detail.reduction.empty()) text += concat(", reduced by ", detail.reduction);
  bool to_peer = detail.collective == Collective::Send;
  bool from_peer = detail.collective == Collective::Recv;
  if (!detail.root_or_peer.empty())
    text += concat(to_peer ? ", to peer " : from_peer ? ", from peer " : ", root ", squeeze(detail.root_or_peer));
  return text;
}

std::string Reporter::queue_text(const Operation& call) const {
  return concat("stream ", quoted_name(program_.streams, call.stream, "of an unknown origin"), ", communicator ",
                quoted_name(program_.communicators, call.communicate->communicator, "of an unknown origin"));
}

std::vector<std::string> Reporter::condition_texts(const Operation& call) {
  if (call.conditions.empty()) return {};
  return {join(call.conditions, " and ")};
}

std::vector<std::string> Reporter::loop_texts(const Site& site) const {
  const Operation& call = program_.operations[site.operations.front()];
  if (call.loop >= program_.loops.size()) return {};
  const Loop& loop = program_.loops[call.loop];
  std::string role = site.loop_role == LoopRole::Peers    ? "over peers"
                     : site.loop_role == LoopRole::Ranks  ? "over the ranks of this process"
                     : site.loop_role == LoopRole::Chunks ? "over chunks"
                                                          : "over iterations";
  std::string bounds = loop.induction.empty() ? std::string(name_of(loop.kind))
                                              : concat(loop.induction, " from ", loop.first, " while ", loop.induction,
                                                       " ", loop.limit, ", ", loop.step);
  return {concat(role, ", ", place_text(loop.range), ": ", squeeze(bounds))};
}

std::vector<std::string> Reporter::group_texts(const Site& site) const {
  Index group = program_.operations[site.operations.front()].communicate->group;
  if (group >= program_.operations.size()) return {};
  std::set<std::string> others;
  for (const auto& [operation, name] : site_names_)
    if (program_.operations[operation].communicate->group == group && name != site.name) others.insert(name);
  std::string text = place_text(program_.operations[group].range);
  if (!others.empty()) text += concat(", with ", join({others.begin(), others.end()}, ", "));
  if (site.group_pattern != GroupPattern::None)
    text += concat(", pattern ", replace_all(std::string(name_of(site.group_pattern)), "_", "-"));
  return {text};
}

std::string Reporter::operation_text(Index index) const {
  const Operation& operation = program_.operations[index];
  auto site = site_names_.find(index);
  std::string name = site == site_names_.end() ? operation.callee : concat(site->second, " ", operation.callee);
  return concat(name, " (", place_text(operation.range), whens_[index], ")");
}

std::vector<std::string> Reporter::neighbour_texts(const std::vector<Index>& dependences, bool upstream) const {
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;  // Everything but the buffers, the buffers.
  for (Index index : dependences) {
    const Dependence& d = graph_.dependences[index];
    std::string who = operation_text(upstream ? d.from : d.to);
    if (d.carried) who += upstream ? " of an earlier iteration" : " of a later iteration";
    if (d.assumed) who += ", perhaps,";
    if (!d.ordered && !d.assumed) who += ", NOT ORDERED,";
    auto known = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == who; });
    if (known == lines.end()) known = lines.insert(lines.end(), {who, {}});
    std::string buffer = in_backticks(program_.buffers[d.buffer].name);
    if (std::find(known->second.begin(), known->second.end(), buffer) == known->second.end())
      known->second.push_back(buffer);
  }
  std::vector<std::string> texts;
  for (const auto& [who, buffers] : lines) texts.push_back(concat(who, " through ", join(buffers, ", ")));
  shorten(texts);
  return texts;
}

std::vector<std::string> Reporter::overlap_texts(const Site& site) const {
  std::vector<std::string> texts;
  for (const Overlap& overlap : site.overlaps) {
    std::string text = operation_text(overlap.operation);
    if (overlap.other_iteration) text += " of a neighbouring iteration";
    if (overlap.assumed) text += ", if kernels stay inside the slice their pointer begins at";
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  shorten(texts);
  if (texts.empty() && site.in_region) texts.push_back("nothing in the region is independent of it");
  return texts;
}

size_t longest_name(const auto& things, const auto& indices) {
  size_t longest = 0;
  for (Index index : indices) longest = std::max(longest, things[index].name.size());
  return std::min<size_t>(longest, 32);
}

void Reporter::write_windows() {
  if (graph_.sites.empty()) return;
  page_.heading("Buffers that must become windows");
  if (graph_.window_buffers.empty()) page_.line("none: no site can be made device-initiated straight from its buffers");
  size_t columns = longest_name(program_.buffers, graph_.window_buffers);
  for (Index index : graph_.window_buffers) {
    const Buffer& buffer = program_.buffers[index];
    std::string size = buffer.bytes_text.empty() ? "unknown size" : concat(squeeze(buffer.bytes_text), " bytes");
    bool ready = buffer.kind == BufferKind::NcclMemory;
    page_.item(buffer.name, concat(size, ", ", place_text(buffer.allocation), ready ? ", ncclMemAlloc already" : ""),
               columns);
  }
}

std::vector<std::string> Reporter::pointer_texts(const Kernel& kernel) const {
  std::vector<std::string> texts;
  for (const auto& [access, verb] : {std::pair(Access::Read, "reads "), std::pair(Access::Write, "writes "),
                                     std::pair(Access::ReadWrite, "reads and writes ")}) {
    std::vector<std::string> names;
    for (const KernelPointer& pointer : kernel.pointers)
      if (pointer.access == access) names.push_back(concat(pointer.name, pointer.assumed ? " (perhaps)" : ""));
    if (!names.empty()) texts.push_back(verb + join(names, ", "));
  }
  return texts;
}

void Reporter::write_kernels() {
  if (program_.kernels.empty()) return;
  page_.heading("Kernels");
  std::vector<Index> all(program_.kernels.size());
  for (Index index = 0; index < all.size(); ++index) all[index] = index;
  size_t columns = longest_name(program_.kernels, all);
  for (Index index : all) {
    const Kernel& kernel = program_.kernels[index];
    std::vector<std::string> parts = {place_text(kernel.range)};
    for (std::string& text : pointer_texts(kernel)) parts.push_back(std::move(text));
    if (!kernel.shared.empty()) parts.push_back(counted(kernel.shared.size(), "shared array"));
    if (kernel.block_barriers > 0) parts.push_back(counted(kernel.block_barriers, "block barrier"));
    if (kernel.grid_barrier) parts.emplace_back("a grid barrier");
    if (!kernel.communication.empty()) parts.emplace_back("communicates from the device");
    page_.item(kernel.name, join(parts, "; "), columns);
  }
}

void Reporter::write_diagnostics() {
  if (program_.diagnostics.empty()) return;
  page_.heading("Warnings and notes");
  for (const Diagnostic& diagnostic : program_.diagnostics)
    page_.line(to_text(diagnostic), diagnostic.severity == Severity::Note ? Tone::Faint : Tone::Bad);
}

}  // namespace

std::string report_text(const Program& program, const CommGraph& graph, bool colour) {
  return Reporter(program, graph, colour).write();
}

}  // namespace cuco::model
