#include "evaluate/free_order.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "evaluate/text/code_text.h"

namespace cuco::evaluate {

namespace {

// More would hide what is wrong with one of them.
constexpr uint64_t kTermsMax = 1 << 24;
// Of errors that are as often up as down the sum stays within a few times the square root of their number.
constexpr double kDeviations = 8;
// Fewer values do not tell what size is typical.
constexpr uint64_t kValuesLeast = 16;

// Half a unit in the last place of 1.
double rounding_of(Element element) {
  switch (element) {
    case Element::Float64:
      return 0x1p-53;
    case Element::Float32:
      return 0x1p-24;
    case Element::Float16:
      return 0x1p-11;
    case Element::BFloat16:
      return 0x1p-8;
    case Element::Float8E4M3:
      return 0x1p-4;
    case Element::Float8E5M2:
      return 0x1p-3;
    default:
      return 0;
  }
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// Of a number's largest or smallest there is one, in whatever order it is looked for.
bool is_sum(const model::CommunicateDetail& detail) {
  return !detail.reduction.empty() && detail.reduction != "ncclMax" && detail.reduction != "ncclMin";
}

size_t line_at(std::string_view text, size_t at) {
  return 1 + static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

void add_atomics(const SourceFile& source, FreeOrder& order) {
  std::string code = without_comments(source.text);
  for (const char* name : {"atomicAdd", "atomicAdd_system", "atomicAdd_block", "fetch_add"})
    if (size_t at = find_word(code, name); at != code.npos) {
      order.adds_atomically = true;
      order.places.push_back(concat(name, " at ", file_name(source.name), ":", line_at(code, at)));
    }
}

// The root of the mean square of what is a number and not zero.
struct Size {
  double squares = 0;
  uint64_t count = 0;

  void add(const CapturedOutput& output) {
    for (uint64_t i = 0; i < output.count; i++) {
      double value = load_element(element_of(output), output.bytes.data(), i);
      if (!std::isfinite(value) || value == 0) continue;
      squares += value * value;
      count++;
    }
  }
  double typical() const { return count ? std::sqrt(squares / static_cast<double>(count)) : 0; }
};

Size size_of(const CapturedOutput& output) {
  Size size;
  size.add(output);
  return size;
}

}  // namespace

FreeOrder find_free_order(const model::Program& program, const std::vector<SourceFile>& sources, uint32_t rank_count) {
  FreeOrder order;
  std::set<std::string> places;
  for (const model::Operation& operation : program.operations) {
    if (!operation.communicate || !is_sum(*operation.communicate)) continue;
    order.rank_terms = rank_count;
    std::string file = file_name(program.files[operation.range.file].path);
    places.insert(concat(operation.callee, " at ", file, ":", operation.range.line, " over ", rank_count, " ranks"));
  }
  order.places.assign(places.begin(), places.end());
  for (const SourceFile& source : sources) add_atomics(source, order);
  return order;
}

double sum_tolerance(Element element, uint64_t terms) {
  double spread = kDeviations * std::sqrt(static_cast<double>(std::min(terms, kTermsMax)));
  return std::max(default_tolerance(element), spread * rounding_of(element));
}

void set_tolerances(const FreeOrder& order, uint64_t operations, Capture& capture) {
  double largest = 0;
  uint64_t values = 0;
  for (const CapturedOutput& output : capture) {
    if (!is_floating(element_of(output))) continue;
    Size size = size_of(output);
    largest = std::max(largest, size.typical()), values += size.count;
  }
  double floor = values < kValuesLeast ? 1 : std::min(largest, 1.0);
  for (CapturedOutput& output : capture) {
    uint64_t atomic_terms = order.adds_atomically ? operations / std::max<uint64_t>(output.count, 1) : 0;
    output.relative = is_floating(element_of(output))
                          ? sum_tolerance(element_of(output), std::max(order.rank_terms, atomic_terms))
                          : 0;
    output.absolute = output.relative * std::max(size_of(output).typical(), floor);
  }
}

std::string tolerance_note(const FreeOrder& order, const Capture& capture) {
  double least = 1, most = 0;
  for (const CapturedOutput& output : capture)
    if (is_floating(element_of(output)))
      least = std::min(least, output.relative), most = std::max(most, output.relative);
  if (most == 0) return "";
  std::string share = least == most ? concat(most) : concat(least, " to ", most);
  std::string why = order.places.empty()
                        ? "which leaves room for other instructions, as nothing adds up in a free order"
                        : concat("because sums are made in no fixed order: ", join(order.places, ", "));
  return concat("floating-point values may differ by ", share, " of themselves and of their typical size, ", why);
}

}  // namespace cuco::evaluate
