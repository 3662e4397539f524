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

void describe_copies(evaluate::Capture& capture, const evaluate::Capture& known) {
  for (evaluate::CapturedOutput& output : capture) {
    auto same = std::find_if(known.begin(), known.end(), [&](const evaluate::CapturedOutput& each) {
      return each.rank == output.rank && each.buffer == output.buffer;
    });
    if (same == known.end()) continue;
    uint32_t element_bytes = bytes_of(static_cast<Element>(same->element));
    if (output.bytes.size() % element_bytes != 0) continue;
    output.element = same->element;
    output.count = output.bytes.size() / element_bytes;
    output.absolute = same->absolute;
    output.relative = same->relative;
  }
}

}  // namespace cuco::gpu
