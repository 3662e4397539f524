#include "gpu/plain.h"

#include <algorithm>

#include "base/text.h"
#include "cuco/element.h"

namespace cuco::gpu {

Result<MarkedProgram> with_region_marks(std::vector<SourceFile> files, const evaluate::ProgramSetting& setting,
                                        const evaluate::Tools& tools) {
  CUCO_TRY(evaluate::ConfinedProgram program, evaluate::ConfinedProgram::make(files, setting, tools));
  Result<evaluate::PlainRegion> region = program.find_region();
  if (!region)
    return Error{
        concat("the program cannot be timed on GPUs, because its region cannot be marked: ", region.error().message)};
  // Here all regions are timed by their marks.
  region->by_events = true;
  auto file = std::ranges::find(files, region->file, &SourceFile::name);
  Result<std::string> text = evaluate::with_marks(file->text, *region);
  if (!text) return text.error();
  file->text = *std::move(text);
  std::string once = region->set_up.empty() ? "" : concat(region->set_up, " stands in it");
  return MarkedProgram{std::move(files), std::move(once)};
}

namespace {

uint64_t byte_count(const evaluate::CapturedOutput& output) {
  return output.count * bytes_of(static_cast<Element>(output.element));
}

bool is_alike(const evaluate::CapturedOutput& one, const evaluate::CapturedOutput& other) {
  return one.element == other.element && one.absolute == other.absolute && one.relative == other.relative;
}

const evaluate::CapturedOutput* same_place(const evaluate::CapturedOutput& output, const evaluate::Capture& known) {
  auto same = std::ranges::find_if(known, [&](const evaluate::CapturedOutput& each) {
    return each.rank == output.rank && each.buffer == output.buffer;
  });
  return same == known.end() ? nullptr : &*same;
}

// Of those of its size, or of all where none has it, if they are alike.
const evaluate::CapturedOutput* same_size(const evaluate::CapturedOutput& output, const evaluate::Capture& known) {
  auto has_its_size = [&](const evaluate::CapturedOutput& each) { return byte_count(each) == output.bytes.size(); };
  bool any = std::ranges::none_of(known, has_its_size);
  const evaluate::CapturedOutput* first = nullptr;
  for (const evaluate::CapturedOutput& each : known) {
    if (!any && !has_its_size(each)) continue;
    if (first && !is_alike(*first, each)) return nullptr;
    first = &each;
  }
  return first;
}

bool has_other_ranks(const evaluate::Capture& capture) {
  return std::ranges::any_of(capture, [](const evaluate::CapturedOutput& output) { return output.rank > 0; });
}

}  // namespace

void describe_copies(evaluate::Capture& capture, const evaluate::Capture& known) {
  bool by_rank = has_other_ranks(capture) || !has_other_ranks(known);
  for (evaluate::CapturedOutput& output : capture) {
    const evaluate::CapturedOutput* same = by_rank ? same_place(output, known) : same_size(output, known);
    if (same == nullptr) continue;
    uint32_t element_bytes = bytes_of(static_cast<Element>(same->element));
    if (output.bytes.size() % element_bytes != 0) continue;
    output.element = same->element;
    output.count = output.bytes.size() / element_bytes;
    output.absolute = same->absolute;
    output.relative = same->relative;
  }
}

}  // namespace cuco::gpu
