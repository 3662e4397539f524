#include "vcluster/runtime/stuck.h"

#include <map>

#include "base/text.h"
#include "vcluster/runtime/device.h"
#include "vcluster/runtime/world.h"

namespace cuco::vcluster {

namespace {

constexpr size_t kFindingsPerGridMax = 4;

std::string place_of(const Block& block, uint32_t thread) {
  return concat("block ", block.index(), " thread ", thread);
}

std::string reason_of(const GpuThread& thread) {
  std::string reason = to_text(thread.wait);
  if (thread.place && thread.wait.kind != WaitKind::Warp) reason += concat(" at ", thread.place);
  if (thread.wait.awaited) reason += concat("; ", thread.wait.awaited->progress());
  return reason;
}

// Threads that wait for the same thing are one line, with the first of them named.
std::vector<std::string> lines_of(const Grid& grid) {
  std::map<std::string, std::pair<std::string, size_t>> by_reason;
  for (const Block* block : grid.running())
    for (const GpuThread& thread : block->threads()) {
      if (thread.exited || thread.wait.kind == WaitKind::None) continue;
      auto& [first, count] = by_reason[reason_of(thread)];
      if (count++ == 0) first = place_of(*block, thread.index);
    }
  std::vector<std::string> lines;
  for (const auto& [reason, who] : by_reason)
    lines.push_back(
        concat(who.first, who.second > 1 ? concat(" and ", who.second - 1, " more") : "", " wait for ", reason));
  return lines;
}

std::string occupants_of(const Device& device) {
  std::string text;
  for (const auto& grid : device.grids())
    if (!grid->running().empty())
      text += concat(" ", grid->running().size(), " of kernel ", grid->launch().name, " launched at ",
                     grid->launch().place);
  return text;
}

std::string why_not_resident(const Grid& grid) {
  if (!grid.running().empty())
    return concat(grid.running().size(), " of ", grid.block_count(),
                  " blocks fill the GPU and wait; the others cannot start");
  return concat("none of its ", grid.block_count(),
                " blocks can start, because blocks that wait fill the GPU:", occupants_of(grid.device()));
}

void report_grid(World& run, const std::string& kind, const Grid& grid) {
  std::string kernel = concat("kernel ", grid.launch().name, " launched at ", grid.launch().place);
  size_t shown = 0;
  for (const std::string& line : lines_of(grid))
    if (shown++ < kFindingsPerGridMax) run.add_finding(kind, grid.device().rank, concat(kernel, ": ", line));
  if (grid.has_unstarted())
    run.add_finding("residency_deadlock", grid.device().rank, concat(kernel, ": ", why_not_resident(grid)));
}

}  // namespace

void report_stuck(World& run, const std::string& kind) {
  for (const auto& process : run.processes)
    for (const auto& thread : process->threads)
      if (!thread->ended && !process->ended && !thread->waits_for.empty())
        run.add_finding(kind, process->rank,
                        concat("host thread ", thread->number, " waits for ", thread->waits_for,
                               thread->place ? concat(" at ", thread->place) : ""));
  for (const auto& device : run.devices) {
    for (const auto& grid : device->grids()) report_grid(run, kind, *grid);
    for (const Guest& guest : device->waiting_guests())
      run.add_finding(
          "residency_deadlock", device->rank,
          concat(guest.what, " cannot start, because blocks that wait fill the GPU:", occupants_of(*device)));
  }
}

}  // namespace cuco::vcluster
