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
    bool any = std::ranges::any_of(values, [](const Value& value) { return value.has_value(); });
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
    auto value = [&](const Sample* sample) { return point_of(run.form.basis, sample->toucher)[coordinate]; };
    int64_t first = value(run.samples.front());
    result.push_back(std::ranges::any_of(run.samples, [&](const Sample* sample) { return value(sample) != first; }));
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
  auto value = [&](const Sample* sample) { return value_at(line, point_of(run.form.basis, sample->toucher)); };
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
  if (std::ranges::none_of(values, [](const Value& value) { return value.has_value(); })) return std::nullopt;
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
  GeneralBox general;
  general.pitch = explained(values_of(runs, [&](const Form& form) { return Value(form.boxes[box].pitch); }));
  general.origin = explained(values_of(runs, [&](const Form& form) { return Value(form.boxes[box].origin); }));
  general.row_begin = line_of(runs, box, &Box::row_begin, explained);
  general.row_end = line_of(runs, box, &Box::row_end, explained);
  general.column_begin = line_of(runs, box, &Box::column_begin, explained);
  general.column_end = line_of(runs, box, &Box::column_end, explained);
  auto limit = [&](const Form& form) { return Value(form.boxes[box].limit.value_or(0)); };
  if (runs.front().form.boxes[box].limit) general.limit = explained(values_of(runs, limit));
  return general;
}

int64_t signed_shift(const Basis& basis) {
  bool is_negative = basis.rank_sign != 0 && basis.shift > basis.modulus / 2;
  return basis.shift - (is_negative ? basis.modulus : 0);
}

GeneralForm form_of(const std::vector<SizedForm>& runs, Explainer& explained) {
  GeneralForm general;
  const Basis& first = runs.front().form.basis;
  general.basis.rank_sign = first.rank_sign, general.basis.round_sign = first.round_sign;
  general.basis.shift = signed_shift(first);
  general.basis.divisor = explained(values_of(runs, [](const Form& form) { return Value(form.basis.divisor); }));
  general.basis.modulus = explained(values_of(runs, [](const Form& form) { return Value(form.basis.modulus); }));
  for (size_t i = 0; i < runs.front().form.boxes.size(); i++) general.boxes.push_back(box_of(runs, i, explained));
  return general;
}

bool holds(const GeneralForm& general, const std::vector<SizedForm>& runs) {
  return std::ranges::all_of(runs, [&](const SizedForm& run) {
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

// The same line, box or form with other numbers.
template <typename To, typename From, typename Change>
BasicLine<To> changed(const BasicLine<From>& line, const Change& change) {
  BasicLine<To> result;
  result.constant = change(line.constant);
  for (size_t i = 0; i < kCoordinates; i++) result.slopes[i] = change(line.slopes[i]);
  if (line.low) result.low = change(*line.low);
  if (line.high) result.high = change(*line.high);
  return result;
}
template <typename To, typename From, typename Change>
BasicBox<To> changed(const BasicBox<From>& box, const Change& change) {
  auto line = [&](const BasicLine<From>& one) { return changed<To>(one, change); };
  BasicBox<To> result{change(box.pitch),      change(box.origin),   line(box.row_begin), line(box.row_end),
                      line(box.column_begin), line(box.column_end), std::nullopt};
  if (box.limit) result.limit = change(*box.limit);
  return result;
}
template <typename To, typename From, typename Change>
BasicForm<To> changed(const BasicForm<From>& form, const Change& change) {
  const BasicBasis<From>& basis = form.basis;
  BasicForm<To> result{{change(basis.divisor), change(basis.modulus), basis.rank_sign, basis.round_sign, basis.shift},
                       {}};
  for (const BasicBox<From>& box : form.boxes) result.boxes.push_back(changed<To>(box, change));
  return result;
}

}  // namespace

GeneralForm general(const Form& form) {
  GeneralForm result = changed<Monomial>(form, constant);
  result.basis.shift = signed_shift(form.basis);
  return result;
}

std::optional<Form> specialised(const GeneralForm& form, const Symbols& symbols) {
  bool whole = true;
  Form result = changed<int64_t>(form, [&](const Monomial& monomial) {
    Value value = value_at(monomial, symbols);
    whole = whole && value;
    return value.value_or(0);
  });
  if (result.basis.shift < 0) result.basis.shift += result.basis.modulus;
  return whole ? std::optional(result) : std::nullopt;
}

std::optional<GeneralForm> generalised(const std::vector<SizedForm>& runs) {
  // Two ranks hardly tell a ring from a line, so the runs with most ranks say first what kind of form it is.
  std::vector<const SizedForm*> patterns;
  for (const SizedForm& run : runs) patterns.push_back(&run);
  std::ranges::stable_sort(patterns,
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
