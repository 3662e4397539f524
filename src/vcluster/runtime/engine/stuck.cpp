#include "vcluster/runtime/engine/stuck.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"

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

// "at f.cu:12 for MPI_Barrier": what a host thread waits for, and where.
std::string wait_of(const HostThread& thread) {
  return concat(thread.place ? concat("at ", thread.place, " ") : "", "for ", thread.waits_for);
}

bool is_waiting(const Process& process, const HostThread& thread) {
  return !thread.ended && !process.ended && !thread.waits_for.empty();
}

// What the device's streams have begun or will begin next; null when they are done.
const Operation* first_undone(const Device& device) {
  for (const std::unique_ptr<Stream>& stream : device.streams) {
    const Operation* operation = stream->last().get();
    if (!operation || operation->done) continue;
    for (bool goes_on = true; goes_on;) {
      auto earlier = std::find_if(operation->after.begin(), operation->after.end(),
                                  [](const OperationPtr& each) { return !each->done; });
      goes_on = earlier != operation->after.end();
      if (goes_on) operation = earlier->get();
    }
    return operation;
  }
  return nullptr;
}

}  // namespace

std::string whereabouts(const Process& process, const Device& device) {
  if (const Operation* operation = first_undone(device))
    return concat("is at ", operation->what, operation->place, " on its GPU");
  if (process.ended) return process.exit_code == 0 ? "has ended" : concat("has ended with code ", process.exit_code);
  for (const std::unique_ptr<HostThread>& thread : process.threads)
    if (is_waiting(process, *thread)) return concat("waits ", wait_of(*thread));
  return "goes on without it";
}

void report_stuck(World& run, const std::string& kind) {
  for (const auto& device : run.devices) {
    for (const auto& grid : device->grids()) report_grid(run, kind, *grid);
    for (const Guest& guest : device->waiting_guests())
      run.add_finding(
          "residency_deadlock", device->rank,
          concat(guest.what, " cannot start, because blocks that wait fill the GPU:", occupants_of(*device)));
  }
  for (const auto& process : run.processes)
    for (const auto& thread : process->threads)
      if (is_waiting(*process, *thread))
        run.add_finding(kind, process->rank, concat("host thread ", thread->number, " waits ", wait_of(*thread)));
}

}  // namespace cuco::vcluster
