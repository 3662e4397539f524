#include "evaluate/plain.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <sstream>

#include "base/text.h"
#include "cuco/element.h"

namespace cuco::evaluate {

namespace {

struct TypeFacts {
  std::string_view name;
  Element element;
};
constexpr std::array<TypeFacts, 24> kTypes = {{
    {"float", Element::Float32},
    {"double", Element::Float64},
    {"int", Element::Int32},
    {"int32_t", Element::Int32},
    {"unsigned int", Element::UInt32},
    {"unsigned", Element::UInt32},
    {"uint32_t", Element::UInt32},
    {"long", Element::Int64},
    {"long long", Element::Int64},
    {"int64_t", Element::Int64},
    {"unsigned long", Element::UInt64},
    {"unsigned long long", Element::UInt64},
    {"uint64_t", Element::UInt64},
    {"size_t", Element::UInt64},
    {"__half", Element::Float16},
    {"half", Element::Float16},
    {"__nv_bfloat16", Element::BFloat16},
    {"nv_bfloat16", Element::BFloat16},
    {"__nv_fp8_e4m3", Element::Float8E4M3},
    {"__nv_fp8_e5m2", Element::Float8E5M2},
    {"int8_t", Element::Int8},
    {"signed char", Element::Int8},
    {"float2", Element::Float32},
    {"float4", Element::Float32},
}};

std::optional<Element> element_named(std::string_view type) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  for (const TypeFacts& known : kTypes)
    if (known.name == type) return known.element;
  return std::nullopt;
}

// Sums in another order differ by some units in the last place; the bounds leave room for thousands of terms.
void set_default_tolerance(CapturedOutput& output) {
  static const std::map<Element, double> bounds = {{Element::Float64, 1e-10},   {Element::Float32, 1e-4},
                                                   {Element::Float16, 1e-2},    {Element::BFloat16, 3e-2},
                                                   {Element::Float8E4M3, 0.13}, {Element::Float8E5M2, 0.26}};
  auto bound = bounds.find(static_cast<Element>(output.element));
  output.absolute = output.relative = bound == bounds.end() ? 0 : bound->second;
}

void set_element(CapturedOutput& output, Element element) {
  if (output.bytes.size() % bytes_of(element) != 0) return;
  output.element = static_cast<uint32_t>(element);
  output.count = output.bytes.size() / bytes_of(element);
}

bool is_copy(const CapturedOutput& output) { return output.name.starts_with("the copy"); }

// "the copy at dir/program.cu:88" is the operation of that line.
bool stands_at(const model::Program& program, const model::Operation& operation, std::string_view name) {
  if (operation.range.file >= program.files.size()) return false;
  std::string file = std::filesystem::path(program.files[operation.range.file].path).filename().string();
  return name.ends_with(concat("/", file, ":", operation.range.line)) ||
         name.ends_with(concat(" ", file, ":", operation.range.line));
}

std::optional<Element> copied_element(const model::Program& program, const CapturedOutput& output) {
  for (const model::Step& step : program.steps) {
    const model::Operation& operation = program.operations[step.operation];
    if (operation.kind != model::OperationKind::Copy || !stands_at(program, operation, output.name)) continue;
    for (const model::Region& region : step.regions)
      if (reads(region.access) && region.buffer < program.buffers.size())
        if (auto element = element_named(program.buffers[region.buffer].element_type)) return element;
  }
  return std::nullopt;
}

}  // namespace

void describe_baseline(Capture& capture, const model::Program& program) {
  for (CapturedOutput& output : capture) {
    if (is_copy(output)) {
      if (std::optional<Element> element = copied_element(program, output)) set_element(output, *element);
      output.name = concat("copy to host ", output.buffer);
    }
    set_default_tolerance(output);
  }
}

void describe_candidate(Capture& capture, const Capture& baseline) {
  for (CapturedOutput& output : capture)
    for (const CapturedOutput& known : baseline) {
      if (known.rank != output.rank || known.buffer != output.buffer || known.iteration != output.iteration) continue;
      if (is_copy(output)) set_element(output, static_cast<Element>(known.element));
      if (is_copy(output)) output.name = concat("copy to host ", output.buffer);
    }
}

std::vector<vcluster::Watch> watches_of(const Capture& baseline) {
  std::vector<vcluster::Watch> watches;
  std::map<std::pair<uint32_t, uint32_t>, bool> seen;
  for (const CapturedOutput& output : baseline) {
    vcluster::Watch watch;
    std::string word, at, byte;
    std::istringstream in(output.name);
    if (!(in >> word >> watch.allocation >> at >> byte >> watch.offset) || word != "allocation") continue;
    if (!seen.emplace(std::pair(output.rank, output.buffer), true).second) continue;
    watch.rank = static_cast<int>(output.rank);
    watch.count = output.count;
    watch.element = output.element;
    watches.push_back(watch);
  }
  return watches;
}

std::string plain_note(const Capture& baseline) {
  bool copies = std::any_of(baseline.begin(), baseline.end(),
                            [](const CapturedOutput& output) { return output.name.starts_with("copy to host"); });
  return concat(
      "the program has no harness: ",
      copies ? "what it copies back to the host is compared" : "what its last communication received is compared",
      ", its inputs are its own (only rand() and random_device follow the seed), and nothing is poisoned; "
      "cuco init can write a workload from it");
}

}  // namespace cuco::evaluate
