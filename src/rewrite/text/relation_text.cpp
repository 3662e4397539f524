#include "rewrite/text/relation_text.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace cuco::rewrite {

namespace {

using footprint::LaunchGuard;
using footprint::LaunchNumber;
using footprint::Relation;
using footprint::Term;

// Types whose numbers have other bytes than what is passed for them may have.
bool is_converted(const std::string& type) {
  static constexpr std::array<const char*, 5> kTypes = {"float", "double", "bool", "char", "short"};
  return std::ranges::find(kTypes, type) != kTypes.end();
}

std::string product(std::vector<std::string> factors) { return factors.empty() ? "1" : join(factors, " * "); }

}  // namespace

std::string RelationText::of(const LaunchNumber& number) const {
  if (number.dimension >= 0)
    return concat("int64_t(dim3(", launch_.configuration[0].text, ").", "xyz"[number.dimension], ")");
  std::string argument = launch_.arguments[number.parameter].text;
  const std::string& type = kernel_.parameters[number.parameter].type;
  if (is_converted(type)) argument = concat(type, "(", argument, ")");
  return concat("cuco::comm::value_of(", argument, number.field > 0 ? concat(", ", number.field) : "", ")");
}

std::string RelationText::of(const Term& term) const {
  std::vector<std::string> above, below;
  if (term.numerator != 1 || term.factors.empty()) above.push_back(std::to_string(term.numerator));
  for (const LaunchNumber& factor : term.factors) above.push_back(of(factor));
  if (term.is_whole()) return product(above);
  if (term.denominator != 1) below.push_back(std::to_string(term.denominator));
  if (term.divisor) below.push_back(of(*term.divisor));
  return concat("cuco::comm::quotient(", product(above), ", ", product(below), ")");
}

std::string RelationText::extents(const std::array<uint32_t, 3>& traced, const std::vector<Relation>& relations) const {
  std::vector<std::string> texts;
  for (uint32_t extent : traced) texts.push_back(std::to_string(extent));
  for (const Relation& relation : relations)
    if (relation.number.dimension >= 0) texts[static_cast<size_t>(relation.number.dimension)] = of(relation.value);
  return concat("(", join(texts, ", "), ")");
}

std::string RelationText::shape(const LaunchGuard& guard) const {
  std::vector<Relation> arguments = guard.relations;
  std::erase_if(arguments, [](const Relation& relation) { return relation.number.dimension >= 0; });
  std::string condition = of(arguments);
  return concat("cuco::comm::Shape().on_grid", extents(guard.grid, guard.relations), ".of_threads",
                extents(guard.block, {}), condition.empty() ? "" : concat(".when(", condition, ")"));
}

std::string RelationText::shapes(const std::vector<AccessForm>& forms, const char* between,
                                 const std::function<std::string(const AccessTerms&)>& text_of) const {
  std::vector<std::string> shapes;
  for (const AccessForm& form : forms) {
    shapes.push_back(shape(form.guard));
    for (const AccessTerms& access : form.accesses) shapes.back() += text_of(access);
  }
  return concat("{", join(shapes, between), "}");
}

std::string RelationText::of(const std::vector<Relation>& relations) const {
  std::vector<std::string> all;
  for (const Relation& relation : relations) all.push_back(concat(of(relation.number), " == ", of(relation.value)));
  return join(all, " && ");
}

std::string RelationText::touched(const AccessTerms& access, const std::string& pointer,
                                  const std::string& more) const {
  std::string offset = of(access.offset), span;
  if (access.has_rule())
    span = concat(", cuco::comm::Span()", more, offset == "0" ? "" : concat(".from(", offset, ")"), ".step(",
                  of(access.step()), ").length(", of(access.bytes), ")");
  return concat(access.writes ? ".writes(" : ".reads(", pointer, span, ")");
}

std::string RelationText::tiles(const AccessTerms& access) const {
  std::string count = of(access.count);
  return concat("cuco::comm::Tiles().step(", of(access.steps[0]), ", ", of(access.steps[1]), ", ", of(access.steps[2]),
                ").piece(", of(access.bytes), ")",
                count == "1" ? "" : concat(".rows(", count, ", ", of(access.stride), ")"));
}

}  // namespace cuco::rewrite
