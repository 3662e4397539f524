#include "footprint/study.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace cuco::footprint {

namespace {

using model::AccessTrace;
using model::TracedCall;
using model::TracedStep;

constexpr size_t kFurtherMin = 2;  // Sizes, and rank counts, that a form has to hold at to be taken for general.

std::vector<uint32_t> buffers_of(const StudyInput& input) {
  if (!input.all_buffers) return communicated_buffers(input.traced.trace);
  size_t count = 0;
  for (const auto& all : input.traced.trace.buffers) count = std::max(count, all.size());
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < count; i++) numbers.push_back(i);
  return numbers;
}

StudiedBuffer describe_buffer(const AccessTrace& trace, uint32_t number) {
  StudiedBuffer buffer{number, 0, "", 0, {}};
  for (const std::vector<model::TracedBuffer>& all : trace.buffers)
    if (number < all.size() && all[number].bytes > buffer.bytes)
      buffer.bytes = all[number].bytes, buffer.origin = all[number].origin;
  std::set<std::string> seen;
  for (const std::vector<TracedStep>& steps : trace.ranks)
    for (const TracedStep& step : steps) {
      const TracedCall& call = step.call;
      bool sends = call.send.used && call.send.buffer == number;
      bool receives = call.receive.used && call.receive.buffer == number;
      if (step.is_launch || (!sends && !receives)) continue;
      bool agrees = buffer.element_bytes == 0 || buffer.element_bytes == call.element_bytes;
      buffer.element_bytes = agrees ? call.element_bytes : 1;
      for (const auto& [moved, how] : {std::pair(sends, "sent by "), std::pair(receives, "received by ")})
        if (std::string text = concat(how, model::callee_of(call.collective), " at ", step.place);
            moved && seen.insert(text).second)
          buffer.moves.push_back(text);
    }
  buffer.element_bytes = std::max(buffer.element_bytes, 1u);
  return buffer;
}

Symbols symbols_of(const Shape& shape, const Touch& touch) {
  Symbols symbols = shape.parameters;
  symbols.emplace_back("ranks", shape.rank_count);
  symbols.emplace_back("grid.x", touch.grid[0]);
  symbols.emplace_back("grid.y", touch.grid[1]);
  symbols.emplace_back("grid.z", touch.grid[2]);
  return symbols;
}

bool is_same_kind(const Touch& a, const Touch& b) {
  return a.launch == b.launch && a.buffer == b.buffer && a.written == b.written;
}

// Which of the touches of its kind it is, as a place may launch several grids.
size_t ordinal_of(const std::vector<const Touch*>& all, const Touch& wanted) {
  size_t ordinal = 0;
  for (const Touch* each : all) {
    if (each == &wanted) break;
    ordinal += is_same_kind(*each, wanted);
  }
  return ordinal;
}

const Touch* find(const std::vector<Touch>& all, const Touch& wanted, size_t ordinal) {
  for (const Touch& each : all)
    if (is_same_kind(each, wanted) && ordinal-- == 0) return &each;
  return nullptr;
}

Samples pointers_to(const std::vector<Sample>& samples) {
  Samples pointers;
  for (const Sample& sample : samples) pointers.push_back(&sample);
  return pointers;
}

// One footprint over all shapes.
class Generalisation {
 public:
  Generalisation(const StudyInput& input, const std::vector<std::vector<Touch>>& further)
      : input_(input), further_(further) {}

  void run(StudiedFootprint& studied, size_t ordinal) {
    const Touch& touch = studied.footprint.touch;
    Symbols symbols = symbols_of(input_.traced.shape, touch);
    for (const auto& [name, value] : symbols) studied.names.push_back(name);
    if (studied.footprint.parts.empty()) return;
    studied.scope = "only for exactly the traced shape";
    if (studied.footprint.parts.size() > 1 || further_.empty()) return;
    SizedForm traced{studied.footprint.parts.front().form, pointers_to(touch.samples), symbols,
                     input_.traced.shape.rank_count};
    if (std::string obstacle = collect(traced, touch, ordinal); !obstacle.empty()) {
      studied.scope += ": " + obstacle;
      return;
    }
    std::optional<GeneralForm> general = generalised(runs_);
    if (!general)
      studied.scope += culprit();
    else if (std::string lack = missing_shapes(); !lack.empty())
      studied.scope += lack;
    else
      studied.general = general, studied.scope = concat("held at ", join(differences(), ", "));
  }

 private:
  std::vector<std::string> differences() const {
    std::vector<std::string> all;
    for (const ShapedTrace& each : input_.further) all.push_back(each.shape.difference);
    return all;
  }

  // One size more may fit by chance.
  std::string missing_shapes() const {
    size_t sizes = 0, rank_counts = 0;
    for (const ShapedTrace& each : input_.further)
      (each.shape.rank_count == input_.traced.shape.rank_count ? sizes : rank_counts)++;
    if (sizes >= kFurtherMin && rank_counts >= kFurtherMin) return "";
    return concat(": it held at ", join(differences(), ", "), ", but two further sizes and rank counts are needed");
  }

  std::string collect(const SizedForm& traced, const Touch& touch, size_t ordinal) {
    runs_ = {traced};
    for (size_t i = 0; i < further_.size(); i++) {
      const Shape& shape = input_.further[i].shape;
      const Touch* there = find(further_[i], touch, ordinal);
      if (!there) return concat("at ", shape.difference, " no such launch touches the buffer");
      if (!there->is_exact) return concat("at ", shape.difference, " only bounds are known");
      runs_.push_back({{}, pointers_to(there->samples), symbols_of(shape, *there), shape.rank_count});
      Folded folded = fold(runs_.back().samples);
      if (!folded.form) return concat("at ", shape.difference, " ", folded.obstacle);
      runs_.back().form = *folded.form;
    }
    return "";
  }

  std::string culprit() const {
    for (size_t i = 1; i < runs_.size(); i++)
      if (!generalised({runs_.front(), runs_[i]}))
        return concat(": at ", input_.further[i - 1].shape.difference, " the form is another");
    return ": the sizes it was tried at have no expression in common";
  }

  const StudyInput& input_;
  const std::vector<std::vector<Touch>>& further_;
  std::vector<SizedForm> runs_;
};

void note_dependences(const StudyInput& input, std::vector<Footprint>& footprints) {
  if (input.other_order)
    refuse_differences(footprints, *input.other_order,
                       "order-dependent: when blocks start in another order they touch other bytes");
  if (input.other_inputs)
    refuse_differences(footprints, *input.other_inputs, "data-dependent: with other inputs blocks touch other bytes");
}

std::vector<StudiedFootprint> study_footprints(const StudyInput& input, const std::vector<uint32_t>& buffers) {
  std::vector<Footprint> footprints = footprints_of(input.traced.trace, buffers);
  std::erase_if(footprints, [&](const Footprint& each) {
    return each.touch.launch.kernel.find(input.kernel) == std::string::npos;
  });
  note_dependences(input, footprints);
  std::vector<std::vector<Touch>> further;
  for (const ShapedTrace& each : input.further) further.push_back(touches_of(each.trace, buffers));
  std::vector<const Touch*> touches;
  for (const Footprint& each : footprints) touches.push_back(&each.touch);
  std::vector<size_t> ordinals;
  for (const Touch* touch : touches) ordinals.push_back(ordinal_of(touches, *touch));
  std::vector<StudiedFootprint> studied;
  for (size_t i = 0; i < footprints.size(); i++) {
    studied.push_back({std::move(footprints[i]), {}, std::nullopt, ""});
    Generalisation(input, further).run(studied.back(), ordinals[i]);
  }
  return studied;
}

}  // namespace

uint32_t Study::element_bytes_of(uint32_t buffer) const {
  auto found = std::ranges::find_if(buffers, [&](const StudiedBuffer& each) { return each.number == buffer; });
  return found == buffers.end() ? 1 : found->element_bytes;
}

Study study(const StudyInput& input) {
  Study study;
  study.shape = input.traced.shape;
  std::vector<uint32_t> buffers = buffers_of(input);
  for (uint32_t number : buffers) study.buffers.push_back(describe_buffer(input.traced.trace, number));
  study.footprints = study_footprints(input, buffers);
  study.unwritten = unwritten_sends(input.traced.trace);
  for (const ShapedTrace& each : input.further) study.tried.push_back(each.shape.difference);
  study.refused = input.refused;
  return study;
}

}  // namespace cuco::footprint
