#include "base/json.h"
#include "base/text.h"
#include "footprint/form_text.h"
#include "footprint/report.h"

namespace cuco::footprint {

namespace {

using Names = std::vector<std::string>;

void write_symbols(JsonWriter& json, const Symbols& symbols) {
  json.begin_object();
  for (const auto& [name, value] : symbols) json.field(name, value);
  json.end_object();
}

void write_extent(JsonWriter& json, const char* name, const std::array<uint32_t, 3>& extent) {
  json.key(name).begin_array();
  for (uint32_t each : extent) json.value(each);
  json.end_array();
}

void write_ranges(JsonWriter& json, const ByteRanges& ranges) {
  json.begin_array();
  for (const ByteRange& range : ranges) json.begin_array().value(range.begin).value(range.end).end_array();
  json.end_array();
}

void write_box(JsonWriter& json, const GeneralBox& box, const Names& coordinates, const Names& names) {
  auto line = [&](const char* name, const GeneralLine& value) { json.field(name, to_text(value, coordinates, names)); };
  json.begin_object().field("pitch_bytes", to_text(box.pitch, names));
  json.field("origin_byte", to_text(box.origin, names));
  line("row_begin", box.row_begin);
  line("row_end", box.row_end);
  line("column_begin_byte", box.column_begin);
  line("column_end_byte", box.column_end);
  json.key("limit_byte");
  if (box.limit)
    json.value(to_text(*box.limit, names));
  else
    json.null();
  json.end_object();
}

void write_form(JsonWriter& json, const GeneralForm& form, const Names& names, uint32_t element_bytes) {
  json.begin_object().field("text", to_text(form, names, element_bytes)).key("boxes").begin_array();
  Names coordinates = coordinate_names(form, names);
  for (const GeneralBox& box : form.boxes) write_box(json, box, coordinates, names);
  json.end_array().end_object();
}

void write_part(JsonWriter& json, const FoldedPart& part, const Names& names, uint32_t element_bytes) {
  json.begin_object().key("launches").begin_array();
  for (const auto& [rank, round] : part.launches)
    json.begin_object().field("rank", rank).field("round", round).end_object();
  json.end_array().key("form");
  write_form(json, general(part.form), names, element_bytes);
  json.end_object();
}

void write_table(JsonWriter& json, const Touch& touch) {
  json.key("table").begin_array();
  for (const Sample& sample : touch.samples) {
    json.begin_object().field("rank", sample.toucher.rank).field("round", sample.toucher.round);
    write_extent(json, "block", sample.toucher.block);
    json.key("bytes");
    write_ranges(json, sample.bytes);
    json.end_object();
  }
  json.end_array();
}

void write_head(JsonWriter& json, const Touch& touch) {
  json.field("place", touch.launch.place).field("kernel", touch.launch.kernel);
  write_extent(json, "grid", touch.grid);
  write_extent(json, "threads", touch.threads);
  json.field("ranks", touch.rank_count).field("rounds", touch.round_count).field("buffer", touch.buffer);
  json.field("direction", touch.written ? "write" : "read");
}

void write_footprint(JsonWriter& json, const StudiedFootprint& studied, uint32_t element_bytes) {
  const Footprint& footprint = studied.footprint;
  json.begin_object();
  write_head(json, footprint.touch);
  json.field("bytes", footprint.bytes).field("overlap_bytes", footprint.overlap_bytes);
  json.field("atomics", footprint.touch.by_atomics).field("in_place", footprint.touch.in_place);
  json.field("elsewhere", footprint.touch.elsewhere).field("remarks", remarks_on(footprint));
  json.field("scope", studied.scope).field("obstacle", footprint.obstacle).key("general");
  if (studied.general)
    write_form(json, *studied.general, studied.names, element_bytes);
  else
    json.null();
  json.key("parts").begin_array();
  for (const FoldedPart& part : footprint.parts) write_part(json, part, studied.names, element_bytes);
  json.end_array();
  if (footprint.parts.empty()) write_table(json, footprint.touch);
  json.end_object();
}

void write_buffer(JsonWriter& json, const StudiedBuffer& buffer) {
  json.begin_object().field("number", buffer.number).field("bytes", buffer.bytes).field("origin", buffer.origin);
  json.field("element_bytes", buffer.element_bytes).field("moves", buffer.moves).end_object();
}

void write_unwritten(JsonWriter& json, const UnwrittenSend& each) {
  json.begin_object().field("place", each.place).field("call", each.call).field("rank", each.rank);
  json.field("buffer", each.buffer).key("bytes");
  write_ranges(json, each.bytes);
  json.end_object();
}

}  // namespace

std::string study_json(const Study& study) {
  JsonWriter json;
  json.begin_object().field("ranks", study.shape.rank_count).key("parameters");
  write_symbols(json, study.shape.parameters);
  json.field("tried", study.tried).field("refused", study.refused).key("buffers").begin_array();
  for (const StudiedBuffer& buffer : study.buffers) write_buffer(json, buffer);
  json.end_array().key("footprints").begin_array();
  for (const StudiedFootprint& each : study.footprints)
    write_footprint(json, each, study.element_bytes_of(each.footprint.touch.buffer));
  json.end_array().key("unwritten").begin_array();
  for (const UnwrittenSend& each : study.unwritten) write_unwritten(json, each);
  json.end_array().end_object();
  return json.take();
}

}  // namespace cuco::footprint
