#include "footprint/form_text.h"

#include <algorithm>
#include <functional>

#include "base/text.h"

namespace cuco::footprint {

namespace {

using Names = std::vector<std::string>;

bool is_one(const Monomial& monomial) { return monomial == constant(1); }

std::string times(const Monomial& slope, const std::string& coordinate, const Names& names) {
  if (is_one(slope)) return coordinate;
  if (slope == constant(-1)) return "-" + coordinate;
  bool is_fraction = slope.denominator != 1 || slope.divisor;
  std::string factor = to_text(slope, names);
  return is_fraction ? concat("(", factor, ")*", coordinate) : concat(factor, "*", coordinate);
}

void visit(GeneralLine& line, const std::function<void(Monomial&)>& change) {
  change(line.constant);
  for (Monomial& slope : line.slopes) change(slope);
  if (line.low) change(*line.low);
  if (line.high) change(*line.high);
}

// Everything that is counted in bytes; rows are not.
void visit_bytes(GeneralForm& form, const std::function<void(Monomial&)>& change) {
  for (GeneralBox& box : form.boxes) {
    change(box.pitch);
    change(box.origin);
    visit(box.column_begin, change);
    visit(box.column_end, change);
    if (box.limit) change(*box.limit);
  }
}

// False, and nothing is changed, when some number is no whole number of elements.
bool count_in_elements(GeneralForm& form, uint32_t element_bytes) {
  bool whole = true;
  visit_bytes(form, [&](Monomial& each) { whole = whole && each.numerator % element_bytes == 0; });
  if (whole) visit_bytes(form, [&](Monomial& each) { each.numerator /= element_bytes; });
  return whole && element_bytes > 1;
}

bool is_parameter(const std::string& name) { return name != "ranks" && !name.starts_with("grid."); }

// A parameter that every number of the line pieces has as a factor: they are whole rows of so many elements.
std::optional<size_t> common_factor(GeneralBox& box, const Names& names) {
  for (size_t name = 0; name < names.size(); name++) {
    bool common = is_parameter(names[name]), any = false;
    auto look = [&](Monomial& each) {
      any = any || !each.is_zero();
      bool whole = each.denominator == 1 && !each.divisor && std::ranges::count(each.factors, name);
      common = common && (each.is_zero() || whole);
    };
    visit(box.column_begin, look);
    visit(box.column_end, look);
    if (common && any) return name;
  }
  return std::nullopt;
}

std::string range_text(const GeneralLine& begin, const GeneralLine& end, const Names& coordinates, const Names& names) {
  return concat("[", to_text(begin, coordinates, names), ", ", to_text(end, coordinates, names), ")");
}

std::string whole_rows_text(GeneralBox box, size_t factor, const Names& coordinates, const Names& names,
                            const std::string& unit) {
  auto divide = [&](Monomial& each) { std::erase(each.factors, factor); };
  visit(box.column_begin, divide);
  visit(box.column_end, divide);
  return concat("rows ", range_text(box.column_begin, box.column_end, coordinates, names), " of ", names[factor], " ",
                unit);
}

std::string rows_text(const GeneralBox& box, const Names& coordinates, const Names& names) {
  if (box.limit) return concat("rows from ", to_text(box.row_begin, coordinates, names), " on");
  return concat("rows ", range_text(box.row_begin, box.row_end, coordinates, names));
}

std::string box_text(GeneralBox box, const Names& coordinates, const Names& names, const std::string& unit) {
  std::optional<size_t> factor = box.pitch.is_zero() ? common_factor(box, names) : std::nullopt;
  std::string columns = range_text(box.column_begin, box.column_end, coordinates, names);
  std::string text = concat(unit, " ", columns);
  if (factor) text = whole_rows_text(box, *factor, coordinates, names, unit);
  if (!box.pitch.is_zero())
    text = concat(rows_text(box, coordinates, names), " x columns ", columns, " of a row of ",
                  to_text(box.pitch, names), " ", unit);
  if (!box.origin.is_zero()) text += concat(", counted from ", to_text(box.origin, names));
  if (box.limit) text += concat(", below ", to_text(*box.limit, names));
  return text;
}

std::string signed_term(int sign, const std::string& name) {
  return sign == 0 ? "" : concat(sign > 0 ? "+" : "-", name);
}

std::string modular_name(const GeneralForm& form, const Names& names) {
  std::string sum = signed_term(form.basis.rank_sign, "rank") + signed_term(form.basis.round_sign, "round");
  if (form.basis.shift != 0) sum += concat(form.basis.shift > 0 ? "+" : "", form.basis.shift);
  if (sum.starts_with("+")) sum = sum.substr(1);
  bool is_name = form.basis.shift == 0 && (sum == "rank" || sum == "round");
  return concat(is_name ? sum : concat("(", sum, ")"), "%", to_text(form.basis.modulus, names));
}

}  // namespace

std::string to_text(const Monomial& monomial, const Names& names) {
  Names factors;
  bool is_plain = monomial.factors.empty();
  if (monomial.numerator != 1 || is_plain) factors.push_back(std::to_string(monomial.numerator));
  for (size_t factor : monomial.factors) factors.push_back(names[factor]);
  std::string text = join(factors, "*");
  if (monomial.divisor) text += "/" + names[*monomial.divisor];
  if (monomial.denominator != 1) text += concat("/", monomial.denominator);
  return text;
}

std::string to_text(const GeneralLine& line, const Names& coordinates, const Names& names) {
  std::string sum;
  auto add = [&](const std::string& term) { sum += concat(sum.empty() || term.starts_with("-") ? "" : "+", term); };
  for (size_t i = 0; i < kCoordinates; i++)
    if (!line.slopes[i].is_zero()) add(times(line.slopes[i], coordinates[i], names));
  if (!line.constant.is_zero() || sum.empty()) add(to_text(line.constant, names));
  if (line.low) sum = concat("max(", sum, ", ", to_text(*line.low, names), ")");
  if (line.high) sum = concat("min(", sum, ", ", to_text(*line.high, names), ")");
  return sum;
}

Names coordinate_names(const GeneralForm& form, const Names& names) {
  Names coordinates = {"bx", "by", "bz", "rank", "round"};
  if (!form.basis.divisor.is_zero()) {
    std::string divisor = to_text(form.basis.divisor, names);
    if (!form.basis.divisor.factors.empty() || form.basis.divisor.divisor) divisor = concat("(", divisor, ")");
    coordinates[0] = concat("(b%", divisor, ")"), coordinates[1] = concat("(b/", divisor, ")");
  }
  if (!form.basis.modulus.is_zero()) coordinates[3] = concat("(", modular_name(form, names), ")");
  return coordinates;
}

std::string to_text(const GeneralForm& given, const Names& names, uint32_t element_bytes) {
  GeneralForm form = given;
  std::string unit = count_in_elements(form, element_bytes) ? "elements" : "bytes";
  Names coordinates = coordinate_names(form, names), boxes;
  for (const GeneralBox& box : form.boxes) boxes.push_back(box_text(box, coordinates, names, unit));
  return join(boxes, " and ");
}

}  // namespace cuco::footprint
