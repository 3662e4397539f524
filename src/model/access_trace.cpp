#include "model/access_trace.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json.h"
#include "base/text.h"

namespace cuco::model {

namespace {

using Json = nlohmann::json;
using Extent = std::array<uint32_t, 3>;

std::string text_of(const Extent& extent) { return concat("[", extent[0], ",", extent[1], ",", extent[2], "]"); }

// [buffer, "r" or "w", begin, piece bytes, stride, count, exact].
std::string text_of(const Footprint& print) {
  return concat("[", print.buffer, ",\"", print.written ? "w" : "r", "\",", print.begin, ",", print.piece_bytes, ",",
                print.stride, ",", print.count, ",", print.exact ? "true" : "false", "]");
}

// [parameter, field, buffer, offset].
std::string text_of(const TracedPointer& pointer) {
  return concat("[", pointer.parameter, ",", pointer.field, ",", pointer.buffer, ",", pointer.offset, "]");
}

// [parameter, field, value].
std::string text_of(const TracedNumber& number) {
  return concat("[", number.parameter, ",", number.field, ",", number.value, "]");
}

std::string text_of(uint32_t number) { return std::to_string(number); }
std::string text_of(const TracedBuffer& buffer) {
  return concat("[", buffer.bytes, ",", json_quoted(buffer.origin), "]");
}
std::string text_of(const VaryingPlace& one) {
  return concat("[", json_quoted(one.place), ",", json_quoted(one.difference), "]");
}
std::string text_of(const TracedBlock& block);
std::string text_of(const TracedStep& step);

template <typename Things>
std::string list_of(const Things& things, const char* separator) {
  std::vector<std::string> texts;
  for (const auto& thing : things) texts.push_back(text_of(thing));
  return concat("[", join(texts, separator), "]");
}

std::string text_of(const TracedBlock& block) {
  std::string text =
      concat("{\"index\":", text_of(block.index), ",\"elsewhere\":", block.reaches_elsewhere ? "true" : "false",
             ",\"touches\":", list_of(block.footprints, ","));
  if (!block.pieces.empty()) text += concat(",\"pieces\":", list_of(block.pieces, ","));
  if (!block.updated.empty()) text += concat(",\"updated\":", list_of(block.updated, ","));
  return concat(text, "}");
}

std::string text_of(const TracedPlace& place) {
  return place.used ? concat("[", place.buffer, ",", place.offset, "]") : "null";
}

std::string text_of(const TracedStep& step) {
  std::string head = concat("{\"place\":", json_quoted(step.place), ",\"stream\":", step.stream);
  if (step.is_launch)
    return concat(head, ",\"kernel\":", json_quoted(step.launch.kernel), ",\"grid\":", text_of(step.launch.grid),
                  ",\"block\":", text_of(step.launch.block), ",\"pointers\":", list_of(step.launch.pointers, ","),
                  ",\"numbers\":", list_of(step.launch.numbers, ","),
                  ",\"blocks\":", list_of(step.launch.blocks, ",\n    "), "}");
  const TracedCall& call = step.call;
  return concat(head, ",\"call\":", json_quoted(callee_of(call.collective)), ",\"bytes\":", call.bytes,
                ",\"element\":", call.element_bytes, ",\"peer\":", call.peer, ",\"rank\":", call.rank,
                ",\"ranks\":", call.rank_count, ",\"send\":", text_of(call.send),
                ",\"receive\":", text_of(call.receive), "}");
}

Extent extent_from(const Json& json) { return {json.at(0), json.at(1), json.at(2)}; }

Footprint footprint_from(const Json& json) {
  return {json.at(0), json.at(1) == "w", json.at(2), json.at(3), json.at(4), json.at(5), json.at(6)};
}

TracedBlock block_from(const Json& json) {
  TracedBlock block;
  block.index = extent_from(json.at("index"));
  block.reaches_elsewhere = json.at("elsewhere");
  for (const Json& print : json.at("touches")) block.footprints.push_back(footprint_from(print));
  if (json.contains("pieces"))
    for (const Json& piece : json.at("pieces")) block.pieces.push_back(footprint_from(piece));
  if (json.contains("updated")) block.updated = json.at("updated").get<std::vector<uint32_t>>();
  return block;
}

TracedLaunch launch_from(const Json& json) {
  TracedLaunch launch;
  launch.kernel = json.at("kernel");
  launch.grid = extent_from(json.at("grid"));
  launch.block = extent_from(json.at("block"));
  for (const Json& pointer : json.at("pointers"))
    launch.pointers.push_back({pointer.at(0), pointer.at(1), pointer.at(2), pointer.at(3)});
  for (const Json& number : json.at("numbers")) launch.numbers.push_back({number.at(0), number.at(1), number.at(2)});
  for (const Json& block : json.at("blocks")) launch.blocks.push_back(block_from(block));
  return launch;
}

TracedPlace place_from(const Json& json) {
  if (json.is_null()) return {};
  return {true, json.at(0), json.at(1)};
}

TracedCall call_from(const Json& json) {
  return {collective_named(json.at("call").get<std::string>()).value(),
          json.at("bytes"),
          json.at("peer"),
          json.at("rank"),
          json.at("ranks"),
          place_from(json.at("send")),
          place_from(json.at("receive")),
          json.at("element")};
}

TracedStep step_from(const Json& json) {
  TracedStep step;
  step.place = json.at("place");
  step.stream = json.at("stream");
  step.is_launch = json.contains("kernel");
  if (step.is_launch)
    step.launch = launch_from(json);
  else
    step.call = call_from(json);
  return step;
}

std::vector<VaryingPlace> varying_from(const Json& json, const char* key) {
  std::vector<VaryingPlace> varying;
  if (json.contains(key))
    for (const Json& one : json.at(key)) varying.push_back({one.at(0), one.at(1)});
  return varying;
}

std::vector<AccessTrace> traces_from(const Json& json, const char* name);

AccessTrace trace_from(const Json& json) {
  AccessTrace trace;
  for (const Json& rank : json.at("buffers")) {
    trace.buffers.emplace_back();
    for (const Json& buffer : rank) trace.buffers.back().push_back({buffer.at(0), buffer.at(1)});
  }
  for (const Json& rank : json.at("ranks")) {
    trace.ranks.emplace_back();
    for (const Json& step : rank) trace.ranks.back().push_back(step_from(step));
  }
  trace.varying = varying_from(json, "varying");
  trace.varying_received = varying_from(json, "varying_received");
  trace.repeats = traces_from(json, "repeats");
  trace.further = traces_from(json, "further");
  trace.is_case = json.contains("is_case");
  return trace;
}

std::vector<AccessTrace> traces_from(const Json& json, const char* name) {
  std::vector<AccessTrace> traces;
  if (json.contains(name))
    for (const Json& one : json.at(name)) traces.push_back(trace_from(one));
  return traces;
}

std::string traces_text(const std::vector<AccessTrace>& traces) {
  std::vector<std::string> texts;
  for (const AccessTrace& one : traces) texts.push_back(to_json(one));
  return concat("[", join(texts, ","), "]");
}

using ByPlace = std::map<std::string, std::vector<Footprint>>;

// What the launches of a rank touch that counts, block by block, in the order of launches.
template <typename Counts>
ByPlace touched_by_place(const std::vector<TracedStep>& steps, Counts counts) {
  ByPlace all;
  for (const TracedStep& step : steps)
    for (const TracedBlock& block : step.launch.blocks)
      for (const Footprint& print : block.footprints)
        if (counts(print)) all[step.place].push_back(print);
  return all;
}

ByPlace written_by_place(const std::vector<TracedStep>& steps) {
  return touched_by_place(steps, [](const Footprint& print) { return print.written; });
}

ByPlace received_by_place(const std::vector<TracedStep>& steps) {
  std::set<uint32_t> received;
  for (const TracedStep& step : steps)
    if (step.call.receive.used) received.insert(step.call.receive.buffer);
  return touched_by_place(steps, [&](const Footprint& print) { return received.contains(print.buffer); });
}

std::vector<VaryingPlace> varying_places(const AccessTrace& trace, const AccessTrace& other,
                                         ByPlace (*touched)(const std::vector<TracedStep>&),
                                         const std::string& difference) {
  std::set<std::string> places;
  for (size_t rank = 0; rank < trace.ranks.size() && rank < other.ranks.size(); rank++) {
    ByPlace there = touched(other.ranks[rank]);
    for (const auto& [place, prints] : touched(trace.ranks[rank]))
      if (there[place] != prints) places.insert(place);
  }
  std::vector<VaryingPlace> varying;
  for (const std::string& place : places) varying.push_back({place, difference});
  return varying;
}

std::string varying_text(const char* key, const std::vector<VaryingPlace>& varying) {
  return varying.empty() ? "" : concat(",\n\"", key, "\":", list_of(varying, ","));
}

}  // namespace

void note_varying(AccessTrace& trace, const AccessTrace& other, const std::string& difference) {
  for (VaryingPlace& one : varying_places(trace, other, written_by_place, difference))
    trace.varying.push_back(std::move(one));
  for (VaryingPlace& one : varying_places(trace, other, received_by_place, difference))
    trace.varying_received.push_back(std::move(one));
}

std::string to_json(const AccessTrace& trace) {
  std::vector<std::string> ranks;
  for (const std::vector<TracedStep>& steps : trace.ranks) ranks.push_back(list_of(steps, ",\n   "));
  std::vector<std::string> buffers;
  for (const std::vector<TracedBuffer>& all : trace.buffers) buffers.push_back(list_of(all, ","));
  std::string text =
      concat("{\"buffers\":[\n  ", join(buffers, ",\n  "), "],\n\"ranks\":[\n  ", join(ranks, ",\n  "), "]");
  text += concat(varying_text("varying", trace.varying), varying_text("varying_received", trace.varying_received));
  if (!trace.repeats.empty()) text += concat(",\n\"repeats\":", traces_text(trace.repeats));
  if (!trace.further.empty()) text += concat(",\n\"further\":", traces_text(trace.further));
  if (trace.is_case) text += ",\n\"is_case\":true";
  return concat(text, "}\n");
}

Result<AccessTrace> parse_access_trace(std::string_view text) {
  try {
    return trace_from(Json::parse(text));
  } catch (const Json::exception& fault) {
    return Error{concat("no trace of accesses: ", fault.what())};
  }
}

}  // namespace cuco::model
