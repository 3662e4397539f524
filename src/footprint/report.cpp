#include "footprint/report.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "footprint/form_text.h"

namespace cuco::footprint {

namespace {

std::string extent_text(const std::array<uint32_t, 3>& extent) {
  return concat("(", extent[0], ",", extent[1], ",", extent[2], ")");
}

std::string launch_text(const Touch& touch) {
  return concat(touch.launch.place, "  ", touch.launch.kernel, "<<<", extent_text(touch.grid), ", ",
                extent_text(touch.threads), ">>>, ", counted(touch.rank_count, "rank"), ", ",
                counted(touch.round_count, "round"));
}

std::string shape_text(const Shape& shape) {
  std::vector<std::string> parts = {counted(shape.rank_count, "rank")};
  for (const auto& [name, value] : shape.parameters) parts.push_back(concat(name, "=", value));
  return join(parts, ", ");
}

std::string buffer_text(const StudiedBuffer& buffer) {
  std::string text = concat("  b", buffer.number, "  ", buffer.bytes, " bytes");
  if (buffer.element_bytes > 1) text += concat(" in elements of ", buffer.element_bytes);
  if (!buffer.origin.empty()) text += concat(", ", buffer.origin);
  for (const std::string& move : buffer.moves) text += concat("\n      ", move);
  return text + "\n";
}

// "rank 0, round 2", or what the launches of a part have in common.
std::string part_text(const FoldedPart& part) {
  std::set<uint32_t> ranks, rounds;
  for (const auto& [rank, round] : part.launches) ranks.insert(rank), rounds.insert(round);
  std::vector<std::string> parts;
  if (ranks.size() == 1) parts.push_back(concat("rank ", *ranks.begin()));
  if (rounds.size() == 1) parts.push_back(concat("round ", *rounds.begin()));
  return parts.empty() ? "all launches" : join(parts, ", ");
}

std::string traced_bytes_text(const Touch& touch) {
  size_t most = 0, fewest = SIZE_MAX;
  for (const Sample& sample : touch.samples)
    most = std::max(most, sample.bytes.size()), fewest = std::min(fewest, sample.bytes.size());
  if (touch.samples.empty()) return "bounds only";
  std::string count = fewest == most ? counted(most, "piece") : concat(fewest, " to ", counted(most, "piece"));
  return concat("a table of ", counted(touch.samples.size(), "block"), ", ", count, " each");
}

std::string forms_text(const StudiedFootprint& studied, uint32_t element_bytes) {
  const Footprint& footprint = studied.footprint;
  if (footprint.parts.empty())
    return concat(traced_bytes_text(footprint.touch), "\n    no form: ", footprint.obstacle, "\n");
  if (studied.general) return concat(to_text(*studied.general, studied.names, element_bytes), "\n");
  if (footprint.parts.size() == 1)
    return concat(to_text(general(footprint.parts.front().form), studied.names, element_bytes), "\n");
  std::string text = concat("by ", counted(footprint.parts.size(), "form"), "\n");
  for (const FoldedPart& part : footprint.parts)
    text += concat("    ", part_text(part), ": ", to_text(general(part.form), studied.names, element_bytes), "\n");
  return text;
}

std::string footprint_text(const Study& study, const StudiedFootprint& studied) {
  const Touch& touch = studied.footprint.touch;
  std::string text = concat("  ", touch.written ? "writes" : "reads", " b", touch.buffer, ": ",
                            forms_text(studied, study.element_bytes_of(touch.buffer)));
  if (!studied.scope.empty()) text += concat("    ", studied.scope, "\n");
  for (const std::string& remark : remarks_on(studied.footprint)) text += concat("    ", remark, "\n");
  return text;
}

std::string unwritten_text(const UnwrittenSend& each) {
  return concat(each.place, "  ", each.call, " of rank ", each.rank, " sends ", byte_count(each.bytes), " bytes of b",
                each.buffer, " from byte ", each.bytes.front().begin,
                " on that no launch or call of the trace wrote\n");
}

}  // namespace

std::vector<std::string> remarks_on(const Footprint& footprint) {
  std::vector<std::string> remarks;
  const Touch& touch = footprint.touch;
  std::set<uint32_t> ranks, rounds;
  for (const Sample& sample : touch.samples) ranks.insert(sample.toucher.rank), rounds.insert(sample.toucher.round);
  if (!ranks.empty() && ranks.size() < touch.rank_count)
    remarks.push_back(concat("on ", ranks.size(), " of ", counted(touch.rank_count, "rank")));
  if (!rounds.empty() && rounds.size() < touch.round_count)
    remarks.push_back(concat("in ", rounds.size(), " of ", counted(touch.round_count, "round")));
  if (footprint.all_touch_same)
    remarks.emplace_back("every block touches the same bytes");
  else if (touch.written && footprint.overlap_bytes > 0)
    remarks.push_back(concat("overlap: ", footprint.overlap_bytes, " of ", footprint.bytes,
                             " bytes are written by more than one block of a launch"));
  if (touch.by_atomics)
    remarks.emplace_back("changed by atomic operations");
  else if (touch.in_place)
    remarks.emplace_back("blocks read bytes that they write");
  if (touch.elsewhere) remarks.emplace_back("some block also writes memory that is no buffer of its device");
  return remarks;
}

std::string study_text(const Study& study) {
  std::string text = concat("traced at ", shape_text(study.shape), "\n");
  for (const std::string& refused : study.refused) text += concat("does not run at ", refused, "\n");
  text += "buffers\n";
  for (const StudiedBuffer& buffer : study.buffers) text += buffer_text(buffer);
  std::string launch;
  for (const StudiedFootprint& each : study.footprints) {
    if (std::string next = launch_text(each.footprint.touch); next != launch) text += concat(launch = next, "\n");
    text += footprint_text(study, each);
  }
  for (const UnwrittenSend& each : study.unwritten) text += unwritten_text(each);
  return text;
}

}  // namespace cuco::footprint
