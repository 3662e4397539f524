#include "model/races.h"

#include <map>
#include <tuple>

#include "base/text.h"

namespace cuco::model {

namespace {

std::string_view verb_of(DependenceKind kind) {
  return kind == DependenceKind::ReadAfterWrite ? "reads" : "overwrites";
}

std::string_view participle_of(DependenceKind kind) {
  return kind == DependenceKind::WriteAfterRead ? "read" : "written";
}

std::string stream_text(const Program& program, Index stream) {
  if (stream >= program.streams.size()) return "the default stream";
  return concat("stream `", program.streams[stream].name, "`");
}

// What the user can do about it.
std::string remedy(const Program& program, const Operation& from, const Operation& to) {
  bool one_group = from.communicate && to.communicate && from.communicate->group != kNone &&
                   from.communicate->group == to.communicate->group;
  if (one_group) return "calls in one NCCL group run at the same time; give them different bytes or two groups";
  std::string source = stream_text(program, from.stream);
  if (!is_device_work(to.kind)) return concat("synchronise with ", source, " before it");
  return concat("record an event on ", source, " after the one and make ", stream_text(program, to.stream),
                " wait for it before the other");
}

// Dependences that differ in the buffer alone make one warning.
using Race = std::tuple<Index, Index, DependenceKind, bool>;

Diagnostic describe(const Program& program, const Race& race, const std::vector<std::string>& buffers) {
  auto [from_index, to_index, kind, carried] = race;
  const Operation& from = program.operations[from_index];
  const Operation& to = program.operations[to_index];
  std::string message =
      concat("`", to.callee, "` ", verb_of(kind), " ", join(buffers, " and "), " ", participle_of(kind), " by `",
             from.callee, "` at ", location_text(program, from.range), carried ? " in an earlier iteration" : "",
             ", but nothing orders them: ", remedy(program, from, to));
  return {Severity::Warning, location_text(program, to.range), std::move(message)};
}

}  // namespace

std::vector<Diagnostic> describe_races(const Program& program, const std::vector<Dependence>& dependences) {
  std::map<Race, std::vector<std::string>> races;
  for (const Dependence& d : dependences)
    if (!d.ordered && !d.assumed)
      races[{d.from, d.to, d.kind, d.carried}].push_back(concat("`", program.buffers[d.buffer].name, "`"));
  std::vector<Diagnostic> warnings;
  for (const auto& [race, buffers] : races) warnings.push_back(describe(program, race, buffers));
  return warnings;
}

}  // namespace cuco::model
