#include "evaluate/sizes/numbers.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "base/text.h"

namespace cuco::evaluate {

namespace {

// Smaller ones are counts of a few things.
constexpr int64_t kLeastNumber = 2 * kLeastValue;

// Of "4096", "64K" or "256M".
std::optional<int64_t> integer_of(std::string_view text) {
  int64_t value = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || value < 0) return std::nullopt;
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (unit.empty()) return value;
  size_t power = std::string_view("KMG").find(static_cast<char>(unit[0] & ~0x20));
  if (unit.size() > 1 || power == std::string_view::npos || value > (int64_t{1} << 32)) return std::nullopt;
  return value << (10 * (power + 1));
}

// How an argument is called: by the option before it, or by its position.
std::string name_of(const std::vector<std::string>& arguments, size_t index) {
  bool has_option = index > 0 && arguments[index - 1].starts_with('-') && !integer_of(arguments[index - 1]) &&
                    arguments[index - 1].find('=') == std::string::npos;
  return has_option ? arguments[index - 1] : concat("$", index + 1);
}

// "--hidden=512" in front of its value; empty where the argument is the value alone.
std::string beginning_of(const std::string& argument) {
  size_t sign = argument.find('=');
  return sign == std::string::npos ? "" : argument.substr(0, sign);
}

bool is_parameter(const Configuration& configuration, const std::string& name) {
  for (const auto& [known, value] : configuration.parameters)
    if (known == name) return true;
  return false;
}

void add_parameters(const Configuration& configuration, std::vector<SizeNumber>& numbers) {
  for (size_t i = 0; i < configuration.parameters.size(); i++) {
    const auto& [name, value] = configuration.parameters[i];
    numbers.push_back({SizeNumber::Kind::Parameter, name, value, i, {}, true});
  }
}

// The integer of an argument, behind its name where it has one.
std::optional<int64_t> value_of(const std::string& argument) {
  std::string beginning = beginning_of(argument);
  return integer_of(std::string_view(argument).substr(beginning.empty() ? 0 : beginning.size() + 1));
}

void add_arguments_of(const Configuration& configuration, std::vector<SizeNumber>& numbers) {
  const std::vector<std::string>& arguments = configuration.arguments;
  for (size_t i = 0; i < arguments.size(); i++) {
    std::string beginning = beginning_of(arguments[i]);
    std::optional<int64_t> value = value_of(arguments[i]);
    if (!value || is_parameter(configuration, beginning)) continue;
    std::string name = beginning.empty() ? name_of(arguments, i) : beginning;
    numbers.push_back({SizeNumber::Kind::Argument, name, *value, i, {}, true});
  }
}

// get("-nx", 16384) where -nx is among the arguments.
bool is_unused_default(const TextNumber& number, const Configuration& configuration) {
  return std::ranges::any_of(configuration.arguments, [&](const std::string& argument) {
    std::string beginning = beginning_of(argument), name = beginning.empty() ? argument : beginning;
    std::string_view word = std::string_view(name).substr(std::min(name.find_first_not_of('-'), name.size()));
    bool is_option = name.starts_with('-') && !word.empty() && !integer_of(name);
    return is_option && (number.change.declaration.find(concat("\"", name, "\"")) != std::string::npos ||
                         number.change.declaration.find(concat("\"", word, "\"")) != std::string::npos);
  });
}

void add_constants(const Configuration& configuration, const std::vector<SourceFile>& files,
                   std::vector<SizeNumber>& numbers) {
  for (TextNumber& number : text_numbers(files, 1)) {
    if (is_unused_default(number, configuration)) continue;
    bool sizes = number.sizes && !number.selects;
    numbers.push_back({SizeNumber::Kind::Constant, number.name, number.value, 0, std::move(number), sizes});
  }
}

bool may_scale(const SizeNumber& number) {
  bool repeats = number.text.repeats && !number.text.selects;
  return number.value >= kLeastNumber && (number.sizes || repeats);
}

void change(const SizeNumber& number, int64_t value, ProofSize& size) {
  switch (number.kind) {
    case SizeNumber::Kind::Parameter:
      size.configuration.parameters[number.index].second = value;
      return;
    case SizeNumber::Kind::Argument: {
      std::string& argument = size.configuration.arguments[number.index];
      std::string beginning = beginning_of(argument);
      argument = concat(beginning, beginning.empty() ? "" : "=", value);
      return;
    }
    case SizeNumber::Kind::Constant:
      size.constants.push_back(number.text.change);
      size.constants.back().after = concat(value, number.text.suffix);
  }
}

}  // namespace

std::vector<SizeNumber> all_numbers(const EvaluationRequest& request, const std::vector<SourceFile>& files) {
  std::vector<SizeNumber> numbers;
  add_parameters(request.configuration, numbers);
  if (!request.plain) return numbers;
  add_arguments_of(request.configuration, numbers);
  add_constants(request.configuration, files, numbers);
  return numbers;
}

namespace {

bool is_factor(const SizeNumber& number, const std::vector<SizeNumber>& all) {
  bool may_change = number.value >= kLeastNumber && !number.sizes && !number.text.selects;
  return may_change && std::ranges::any_of(all, [&](const SizeNumber& whole) {
           bool fits = may_scale(whole) && whole.sizes && whole.value % number.value == 0;
           return fits && std::ranges::any_of(all, [&](const SizeNumber& other) {
                    return &other != &number && other.value > 1 && other.value == whole.value / number.value;
                  });
         });
}

}  // namespace

std::vector<SizeNumber> size_numbers(const EvaluationRequest& request, const std::vector<SourceFile>& files) {
  std::vector<SizeNumber> all = all_numbers(request, files), numbers;
  for (SizeNumber& number : all) number.is_factor = is_factor(number, all);
  std::ranges::copy_if(all, std::back_inserter(numbers),
                       [](const SizeNumber& number) { return may_scale(number) || number.is_factor; });
  return numbers;
}

SizeValues values_of(const std::vector<SizeNumber>& numbers) {
  SizeValues values;
  for (const SizeNumber& number : numbers) values.push_back(number.value);
  return values;
}

namespace {

int64_t value_at(const ProofSize& size, const SizeNumber& number) {
  if (number.kind == SizeNumber::Kind::Parameter) return size.configuration.parameters[number.index].second;
  if (number.kind == SizeNumber::Kind::Argument)
    return value_of(size.configuration.arguments[number.index]).value_or(number.value);
  for (const ConstantChange& change : size.constants)
    if (change.file == number.text.change.file && change.declaration == number.text.change.declaration)
      return integer_of(change.after.substr(0, change.after.find_first_not_of("0123456789"))).value_or(number.value);
  return number.value;
}

}  // namespace

SizeValues values_at(const ProofSize& size, const std::vector<SizeNumber>& numbers) {
  SizeValues values;
  for (const SizeNumber& number : numbers) values.push_back(value_at(size, number));
  return values;
}

std::string changes_text(const std::vector<SizeNumber>& numbers, const SizeValues& values) {
  std::vector<std::string> changed, before;
  for (size_t i = 0; i < numbers.size(); i++) {
    if (values[i] == numbers[i].value) continue;
    changed.push_back(concat(numbers[i].name, "=", values[i]));
    before.push_back(concat(numbers[i].value));
  }
  return changed.empty() ? "" : concat(join(changed, ", "), " (of ", join(before, ", "), ")");
}

std::string names_text(const std::vector<SizeNumber>& numbers) {
  std::vector<std::string> names;
  for (const SizeNumber& number : numbers) {
    bool has_place = number.kind == SizeNumber::Kind::Constant;
    std::string place = has_place ? concat(" (", number.text.change.file, ":", number.text.line, ")") : "";
    names.push_back(concat(number.name, "=", number.value, place));
  }
  return join(names, ", ");
}

ProofSize with_values(const Configuration& of_case, const std::vector<SizeNumber>& numbers, const SizeValues& values) {
  ProofSize size{of_case, {}, changes_text(numbers, values)};
  for (size_t i = 0; i < numbers.size(); i++)
    if (values[i] != numbers[i].value) change(numbers[i], values[i], size);
  if (!size.shrunk.empty()) size.configuration.name = size.shrunk.substr(0, size.shrunk.find(" (of"));
  return size;
}

}  // namespace cuco::evaluate
