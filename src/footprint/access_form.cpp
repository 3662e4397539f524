#include "footprint/access_form.h"

#include <algorithm>

namespace cuco::footprint {

namespace {

using model::TracedLaunch;
using model::TracedNumber;

// The terms of one access over all launches, as long as there are any.
class Explanation {
 public:
  Explanation(const LaunchRelations& relations, const std::vector<const TracedLaunch*>& launches,
              const std::vector<std::optional<Access>>& accesses)
      : relations_(relations), launches_(launches), accesses_(accesses) {}

  // 0 where no launch has a value.
  template <typename Value>
  Term of(Value value) {
    LaunchValues values;
    for (size_t i = 0; i < accesses_.size(); i++)
      values.push_back(accesses_[i] ? value(*launches_[i], *accesses_[i]) : std::nullopt);
    if (std::ranges::none_of(values, [](const auto& one) { return one.has_value(); })) return {};
    std::optional<Term> term = relations_.explain(values);
    holds_ = holds_ && term;
    return term.value_or(Term{});
  }
  Term of(int64_t Access::*number) {
    return of([number](const TracedLaunch&, const Access& one) { return std::optional(one.*number); });
  }
  bool holds() const { return holds_; }

 private:
  const LaunchRelations& relations_;
  const std::vector<const TracedLaunch*>& launches_;
  const std::vector<std::optional<Access>>& accesses_;
  bool holds_ = true;
};

std::optional<int64_t> value_if(bool known, int64_t value) { return known ? std::optional(value) : std::nullopt; }

}  // namespace

int64_t begin_of(const Access& access, const std::array<uint32_t, 3>& block) {
  int64_t begin = access.offset;
  for (size_t i = 0; i < 3; i++) begin += block[i] / access.every * access.steps[i];
  return begin;
}

Access run_along(int dimension, int64_t offset, int64_t step, int64_t bytes) {
  Access access;
  access.offset = offset;
  access.steps[static_cast<size_t>(dimension)] = step;
  access.bytes = access.stride = bytes;
  access.count = 1;
  return access;
}

Access anywhere(const Access& access) { return {access.parameter, access.field, access.writes}; }

void split_run(Access& access, int64_t piece_bytes) {
  if (access.count != 1 || piece_bytes == 0 || access.bytes % piece_bytes != 0) return;
  access.count = access.bytes / piece_bytes;
  access.bytes = access.stride = piece_bytes;
}

AccessTerms exactly(const Access& access) {
  AccessTerms terms{access.parameter, access.field, access.writes};
  for (size_t i = 0; i < 3; i++) terms.steps[i] = {access.steps[i]};
  terms.offset = {access.offset}, terms.every = {access.every};
  terms.bytes = {access.bytes}, terms.stride = {access.stride}, terms.count = {access.count};
  terms.filled = {access.filled};
  return terms;
}

std::optional<AccessTerms> explained(const LaunchRelations& relations, const std::vector<const TracedLaunch*>& launches,
                                     const std::vector<std::optional<Access>>& accesses) {
  Explanation terms(relations, launches, accesses);
  AccessTerms access;
  for (const std::optional<Access>& one : accesses) {
    if (!one) continue;
    access.parameter = one->parameter, access.field = one->field;
    access.writes |= one->writes;
  }
  access.offset = terms.of(&Access::offset);
  for (size_t i = 0; i < 3; i++)
    access.steps[i] = terms.of(
        [i](const TracedLaunch& launch, const Access& one) { return value_if(launch.grid[i] > 1, one.steps[i]); });
  access.bytes = terms.of(&Access::bytes);
  access.stride = terms.of([](const TracedLaunch&, const Access& one) { return value_if(one.count > 1, one.stride); });
  access.count = terms.of(&Access::count);
  access.filled = terms.of(&Access::filled);
  access.every = terms.of(&Access::every);
  if (access.stride == Term{}) access.stride = access.bytes;
  // An offset that does not come out even would be less than 0, which an offset may be.
  bool holds = terms.holds() && access.offset.is_whole();
  return holds ? std::optional(access) : std::nullopt;
}

std::optional<AccessForm> form_over(const std::vector<const TracedLaunch*>& launches, int dimension,
                                    const std::vector<AccessColumn>& columns) {
  LaunchRelations relations = relations_of(launches, dimension);
  AccessForm form{relations.guard(launches[0]->block), {}, true};
  for (const auto& [values, otherwise] : columns) {
    bool has_rule =
        !values.empty() && std::ranges::all_of(values, [](const auto& one) { return !one || one->has_rule(); });
    std::optional<AccessTerms> access = has_rule ? explained(relations, launches, values) : std::nullopt;
    if (!access) access = otherwise;
    if (!access) return std::nullopt;
    form.accesses.push_back(*std::move(access));
  }
  return form;
}

void TracedShape::keep_common(const std::vector<TracedNumber>& others) {
  std::erase_if(numbers, [&](const TracedNumber& one) { return std::ranges::find(others, one) == others.end(); });
}

TracedShape* shape_of(std::vector<TracedShape>& shapes, const TracedLaunch& launch) {
  auto found = std::ranges::find_if(shapes, [&](const TracedShape& one) { return one.is_of(launch); });
  return found == shapes.end() ? nullptr : &*found;
}

AccessForm exactly(const TracedShape& shape) {
  AccessForm form{{shape.grid, shape.block}, {}};
  for (const TracedNumber& number : shape.numbers)
    form.guard.relations.push_back({{number.parameter, number.field}, {number.value}});
  for (const Access& access : shape.accesses) form.accesses.push_back(exactly(access));
  return form;
}

}  // namespace cuco::footprint
