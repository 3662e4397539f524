#include "evaluate/judging/judge.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>

#include "base/text.h"

namespace cuco::evaluate {

namespace {

constexpr char kPoison = '\xff';  // What the harness fills outputs with.

// Wide enough for every 64-bit integer on the machines that cuco runs on.
long double value_at(const CapturedOutput& output, uint64_t index) {
  const char* place = output.bytes.data() + index * 8;
  if (element_of(output) == Element::Int64) {
    int64_t value = 0;
    std::memcpy(&value, place, sizeof value);
    return static_cast<long double>(value);
  }
  if (element_of(output) == Element::UInt64) {
    uint64_t value = 0;
    std::memcpy(&value, place, sizeof value);
    return static_cast<long double>(value);
  }
  return load_element(element_of(output), output.bytes.data(), index);
}

std::string text_at(const CapturedOutput& output, uint64_t index) {
  long double value = value_at(output, index);
  if (std::isnan(value)) return "NaN";
  std::ostringstream out;
  out.precision(is_floating(element_of(output)) ? 9 : 20);
  out << value;
  return out.str();
}

bool passes(long double baseline, long double candidate, const CapturedOutput& tolerated) {
  // Of a workload no baseline is not a number (judge_baseline); a program without a harness may compute one.
  if (std::isnan(baseline) || std::isnan(candidate)) return std::isnan(baseline) && std::isnan(candidate);
  if (baseline == candidate) return true;
  if (std::isinf(baseline)) return false;
  return std::fabs(candidate - baseline) <= tolerated.absolute + tolerated.relative * std::fabs(baseline);
}

std::string name_of(const CapturedOutput& output) { return concat("output ", output.name, " of rank ", output.rank); }

Finding finding_of(const char* kind, uint32_t rank, std::string text) {
  Finding finding;
  finding.level = Level::Verified;
  finding.kind = kind;
  finding.rank = static_cast<int>(rank);
  finding.text = std::move(text);
  return finding;
}

// Output by output of every rank, its iterations in order.
using OutputKey = std::tuple<uint32_t, uint32_t>;  // Rank, buffer.
using Iterations = std::map<uint32_t, const CapturedOutput*>;

std::map<OutputKey, Iterations> sorted(const Capture& capture) {
  std::map<OutputKey, Iterations> outputs;
  for (const CapturedOutput& output : capture) outputs[{output.rank, output.buffer}][output.iteration] = &output;
  return outputs;
}

bool is_poison(const CapturedOutput& output, uint64_t index) {
  size_t bytes = bytes_of(element_of(output));
  return std::all_of(output.bytes.begin() + static_cast<std::ptrdiff_t>(index * bytes),
                     output.bytes.begin() + static_cast<std::ptrdiff_t>((index + 1) * bytes),
                     [](char byte) { return byte == kPoison; });
}

// All bits set is also the integer -1, so of integers only an output that holds nothing else counts.
bool is_all_poison(const CapturedOutput& output) {
  return output.count > 0 && output.bytes.find_first_not_of(kPoison) == std::string::npos;
}

std::string baseline_fault(const CapturedOutput& output) {
  std::string in = concat(" in iteration ", output.iteration);
  if (output.changed_after_return) return concat(name_of(output), " changes after the region returned", in);
  if (is_all_poison(output)) return concat(name_of(output), " is never written", in);
  if (!is_floating(element_of(output))) return "";
  for (uint64_t i = 0; i < output.count; i++) {
    if (!std::isnan(value_at(output, i))) continue;
    if (is_poison(output, i)) return concat(name_of(output), " is never written at index ", i, in);
    return concat(name_of(output), " is not a number at index ", i, in, "; no candidate could be compared with it");
  }
  return "";
}

// Why the two cannot be compared element by element, or empty.
std::string shape_fault(const CapturedOutput& baseline, const CapturedOutput& candidate) {
  std::string in = concat(" in iteration ", baseline.iteration);
  if (baseline.name != candidate.name)
    return concat(name_of(candidate), " stands where the baseline has ", baseline.name);
  if (baseline.element != candidate.element) return concat(name_of(baseline), " has another type than the baseline's");
  if (baseline.count != candidate.count)
    return concat(name_of(baseline), " has ", candidate.count, " elements", in, ", the baseline's ", baseline.count);
  return "";
}

// The mismatches of one output on one rank.
struct Mismatches {
  uint64_t count = 0;
  uint64_t iterations = 0;
  uint64_t elements = 0;  // Compared.
  std::string first;

  void add(const CapturedOutput& baseline, const CapturedOutput& candidate);
};

void Mismatches::add(const CapturedOutput& baseline, const CapturedOutput& candidate) {
  elements += baseline.count;
  bool may_be_equal = !is_floating(element_of(baseline));
  if (may_be_equal && baseline.bytes == candidate.bytes) return;
  uint64_t before = count;
  for (uint64_t i = 0; i < baseline.count; i++) {
    bool is_written = is_poison(baseline, i) || !is_poison(candidate, i);
    if (is_written && passes(value_at(baseline, i), value_at(candidate, i), baseline)) continue;
    if (count++ == 0)
      first =
          concat("index ", baseline.first + i, " in iteration ", baseline.iteration, " is ", text_at(candidate, i),
                 is_poison(candidate, i) ? " (never written)" : "", " where the baseline has ", text_at(baseline, i));
  }
  if (count > before) iterations++;
}

std::string compare_output(const Iterations& baseline, const Iterations& candidate) {
  Mismatches wrong;
  for (const auto& [iteration, expected] : baseline) {
    auto found = candidate.find(iteration);
    if (found == candidate.end()) return concat(name_of(*expected), " is missing from iteration ", iteration);
    if (std::string fault = shape_fault(*expected, *found->second); !fault.empty()) return fault;
    wrong.add(*expected, *found->second);
  }
  for (const auto& [iteration, output] : candidate)
    if (!baseline.contains(iteration))
      return concat(name_of(*output), " has an iteration ", iteration, " that the baseline has not");
  if (wrong.count == 0) return "";
  return concat(name_of(*baseline.begin()->second), ": ", wrong.first, "; ", wrong.count, " of ", wrong.elements,
                " elements differ, in ", wrong.iterations, " of ", counted(baseline.size(), "iteration"));
}

}  // namespace

std::vector<Finding> judge_baseline(const Capture& baseline) {
  std::vector<Finding> findings;
  if (baseline.empty()) findings.push_back(finding_of("unwritten_output", 0, "the baseline has no outputs"));
  for (const auto& [key, iterations] : sorted(baseline))
    for (const auto& [iteration, output] : iterations) {
      std::string fault = baseline_fault(*output);
      if (fault.empty()) continue;
      findings.push_back(
          finding_of(output->changed_after_return ? "leaking_work" : "unwritten_output", output->rank, fault));
      break;
    }
  return findings;
}

Mismatch mismatch_of(const CapturedOutput& baseline, const CapturedOutput& candidate) {
  Mismatches wrong;
  wrong.add(baseline, candidate);
  return {wrong.count, wrong.first};
}

std::vector<Finding> compare(const Capture& baseline, const Capture& candidate) {
  std::vector<Finding> findings;
  std::map<OutputKey, Iterations> expected = sorted(baseline), found = sorted(candidate);
  for (const auto& [key, iterations] : expected)
    if (std::string fault = compare_output(iterations, found[key]); !fault.empty())
      findings.push_back(finding_of("wrong_result", std::get<0>(key), fault));
  for (const auto& [key, iterations] : found)
    if (!iterations.empty() && !expected.contains(key))
      findings.push_back(finding_of("wrong_result", std::get<0>(key),
                                    concat(name_of(*iterations.begin()->second), " is not an output of the baseline")));
  return findings;
}

}  // namespace cuco::evaluate
