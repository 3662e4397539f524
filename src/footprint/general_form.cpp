#include "footprint/general_form.h"

#include <algorithm>

namespace cuco::footprint {

namespace {

using Value = std::optional<int64_t>;

// Explains one number of all runs; keeps in mind when one cannot be explained.
class Explainer {
 public:
  explicit Explainer(const std::vector<SizedForm>& runs) {
    for (const SizedForm& run : runs) symbols_.push_back(run.symbols);
  }
  Monomial operator()(const std::vector<Value>& values) {
    bool any = std::any_of(values.begin(), values.end(), [](const Value& value) { return value.has_value(); });
    std::optional<Monomial> found = any ? explain(values, symbols_) : constant(0);
    failed_ = failed_ || !found;
    return found.value_or(constant(0));
  }
  // The same without minding when it cannot be done.
  std::optional<Monomial> attempt(const std::vector<Value>& values) const { return explain(values, symbols_); }
  bool failed() const { return failed_; }

 private:
  std::vector<Symbols> symbols_;
  bool failed_ = false;
};

// In which runs a coordinate has more than one value, so that its slope says something.
std::vector<bool> varying(const std::vector<SizedForm>& runs, size_t coordinate) {
  std::vector<bool> result;
  for (const SizedForm& run : runs) {
    auto value = [&](const Sample* sample) { return run.form.basis.point_of(sample->toucher)[coordinate]; };
    int64_t first = value(run.samples.front());
    result.push_back(std::any_of(run.samples.begin(), run.samples.end(),
                                 [&](const Sample* sample) { return value(sample) != first; }));
  }
  return result;
}

template <typename Of>
std::vector<Value> values_of(const std::vector<SizedForm>& runs, Of of) {
  std::vector<Value> values;
  for (const SizedForm& run : runs) values.push_back(of(run.form));
  return values;
}

// The lowest or highest value of a line in a run.
int64_t extreme_of(const SizedForm& run, const Line& line, bool highest) {
  auto value = [&](const Sample* sample) { return line.at(run.form.basis.point_of(sample->toucher)); };
  int64_t extreme = value(run.samples.front());
  for (const Sample* sample : run.samples)
    extreme = highest ? std::max(extreme, value(sample)) : std::min(extreme, value(sample));
  return extreme;
}

// A bound that no run reaches is none. Where tiles fit, it is most likely what the last of them just reaches.
template <typename LineOf>
std::optional<Monomial> bound_of(const std::vector<SizedForm>& runs, LineOf line_of, bool highest,
                                 Explainer& explained) {
  std::vector<Value> values =
      values_of(runs, [&](const Form& form) { return highest ? line_of(form).high : line_of(form).low; });
  if (std::none_of(values.begin(), values.end(), [](const Value& value) { return value.has_value(); }))
    return std::nullopt;
  std::vector<Value> filled = values;
  for (size_t i = 0; i < runs.size(); i++)
    if (!filled[i]) filled[i] = extreme_of(runs[i], line_of(runs[i].form), highest);
  if (std::optional<Monomial> found = explained.attempt(filled)) return found;
  return explained(values);
}

GeneralLine line_of(const std::vector<SizedForm>& runs, size_t box, Line Box::*line, Explainer& explained) {
  auto of = [&](const Form& form) -> const Line& { return form.boxes[box].*line; };
  GeneralLine general;
  general.constant = explained(values_of(runs, [&](const Form& form) { return Value(of(form).constant); }));
  for (size_t i = 0; i < kCoordinates; i++) {
    std::vector<Value> slopes = values_of(runs, [&](const Form& form) { return Value(of(form).slopes[i]); });
    std::vector<bool> says = varying(runs, i);
    for (size_t run = 0; run < runs.size(); run++)
      if (!says[run]) slopes[run].reset();
    general.slopes[i] = explained(slopes);
  }
  general.low = bound_of(runs, of, false, explained);
  general.high = bound_of(runs, of, true, explained);
  return general;
}

GeneralBox box_of(const std::vector<SizedForm>& runs, size_t box, Explainer& explained) {
  auto number = [](uint64_t value) { return Value(static_cast<int64_t>(value)); };
  GeneralBox general;
  general.pitch = explained(values_of(runs, [&](const Form& form) { return number(form.boxes[box].pitch); }));
  general.origin = explained(values_of(runs, [&](const Form& form) { return number(form.boxes[box].origin); }));
  general.row_begin = line_of(runs, box, &Box::row_begin, explained);
  general.row_end = line_of(runs, box, &Box::row_end, explained);
  general.column_begin = line_of(runs, box, &Box::column_begin, explained);
  general.column_end = line_of(runs, box, &Box::column_end, explained);
  auto limit = [&](const Form& form) { return number(form.boxes[box].limit.value_or(0)); };
  if (runs.front().form.boxes[box].limit) general.limit = explained(values_of(runs, limit));
  return general;
}

int64_t signed_shift(const Basis& basis) {
  bool is_negative = basis.rank_sign != 0 && basis.shift > basis.modulus / 2;
  return int64_t{basis.shift} - (is_negative ? basis.modulus : 0);
}

GeneralForm form_of(const std::vector<SizedForm>& runs, Explainer& explained) {
  GeneralForm general;
  general.basis = runs.front().form.basis;
  general.shift = signed_shift(general.basis);
  general.divisor =
      explained(values_of(runs, [](const Form& form) { return Value(static_cast<int64_t>(form.basis.divisor)); }));
  general.modulus = explained(values_of(runs, [](const Form& form) { return Value(form.basis.modulus); }));
  for (size_t i = 0; i < runs.front().form.boxes.size(); i++) general.boxes.push_back(box_of(runs, i, explained));
  return general;
}

bool holds(const GeneralForm& general, const std::vector<SizedForm>& runs) {
  return std::all_of(runs.begin(), runs.end(), [&](const SizedForm& run) {
    std::optional<Form> form = specialised(general, run.symbols);
    return form && is_exact(*form, run.samples);
  });
}

// The runs with forms of the pattern's kind; none when one has no such form.
std::optional<std::vector<SizedForm>> refolded(std::vector<SizedForm> runs, const SizedForm& pattern) {
  for (SizedForm& run : runs) {
    Folded folded = fold_like(run.samples, run.rank_count, pattern.form, pattern.rank_count);
    if (!folded.form) return std::nullopt;
    run.form = *folded.form;
  }
  return runs;
}

// Numbers of one run; notes when one of them is not whole.
class Specialiser {
 public:
  explicit Specialiser(const Symbols& symbols) : symbols_(symbols) {}
  int64_t operator()(const Monomial& monomial) {
    Value value = value_at(monomial, symbols_);
    failed_ = failed_ || !value;
    return value.value_or(0);
  }
  uint64_t size(const Monomial& monomial) { return static_cast<uint64_t>((*this)(monomial)); }
  Value bound(const std::optional<Monomial>& monomial) { return monomial ? Value((*this)(*monomial)) : Value(); }
  Line line(const GeneralLine& general) {
    Line line;
    line.constant = (*this)(general.constant);
    for (size_t i = 0; i < kCoordinates; i++) line.slopes[i] = (*this)(general.slopes[i]);
    line.low = bound(general.low);
    line.high = bound(general.high);
    return line;
  }
  bool failed() const { return failed_; }

 private:
  const Symbols& symbols_;
  bool failed_ = false;
};

GeneralLine general(const Line& line) {
  GeneralLine result;
  result.constant = constant(line.constant);
  for (size_t i = 0; i < kCoordinates; i++) result.slopes[i] = constant(line.slopes[i]);
  if (line.low) result.low = constant(*line.low);
  if (line.high) result.high = constant(*line.high);
  return result;
}

Monomial constant_of(uint64_t value) { return constant(static_cast<int64_t>(value)); }

}  // namespace

GeneralForm general(const Form& form) {
  GeneralForm result{
      form.basis, constant_of(form.basis.divisor), constant(form.basis.modulus), signed_shift(form.basis), {}};
  for (const Box& box : form.boxes) {
    result.boxes.push_back({constant_of(box.pitch), constant_of(box.origin), general(box.row_begin),
                            general(box.row_end), general(box.column_begin), general(box.column_end), std::nullopt});
    if (box.limit) result.boxes.back().limit = constant_of(*box.limit);
  }
  return result;
}

std::optional<Form> specialised(const GeneralForm& form, const Symbols& symbols) {
  Specialiser number(symbols);
  Form result{form.basis, {}};
  result.basis.divisor = number.size(form.divisor);
  result.basis.modulus = static_cast<uint32_t>(number(form.modulus));
  result.basis.shift = static_cast<uint32_t>(form.shift < 0 ? form.shift + result.basis.modulus : form.shift);
  for (const GeneralBox& box : form.boxes) {
    result.boxes.push_back({number.size(box.pitch), number.size(box.origin), number.line(box.row_begin),
                            number.line(box.row_end), number.line(box.column_begin), number.line(box.column_end),
                            std::nullopt});
    if (box.limit) result.boxes.back().limit = number.size(*box.limit);
  }
  return number.failed() ? std::nullopt : std::optional(result);
}

std::optional<GeneralForm> generalised(const std::vector<SizedForm>& runs) {
  // Two ranks hardly tell a ring from a line, so the runs with most ranks say first what kind of form it is.
  std::vector<const SizedForm*> patterns;
  for (const SizedForm& run : runs) patterns.push_back(&run);
  std::stable_sort(patterns.begin(), patterns.end(),
                   [](const SizedForm* a, const SizedForm* b) { return a->rank_count > b->rank_count; });
  for (const SizedForm* pattern : patterns) {
    std::optional<std::vector<SizedForm>> alike = refolded(runs, *pattern);
    if (!alike) continue;
    Explainer explained(*alike);
    GeneralForm general = form_of(*alike, explained);
    if (!explained.failed() && holds(general, *alike)) return general;
  }
  return std::nullopt;
}

}  // namespace cuco::footprint
