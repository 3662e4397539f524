#include "vcluster/runtime/engine/spin_lines.h"

#include <dlfcn.h>
#include <signal.h>
#include <ucontext.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "vcluster/runtime/engine/line_table.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/block.h"

namespace cuco::vcluster {

namespace {

constexpr long long kTrapFlag = 0x100;  // Of the processor's flags register.
// Enough for a few rounds of a loop that calls into the runtime; takes some 50 ms.
constexpr size_t kStepsMax = 40'000;

// The interrupted code may be the allocator's, so nothing is allocated until it has come back to the program's.
constexpr size_t kVisitedMax = 1 << 14;
size_t step_count = 0;
uintptr_t visited[kVisitedMax];  // A hash table; 0: free.
size_t visited_count = 0;
const GpuThread* watched = nullptr;
void (*report)(const std::vector<std::string>&) = nullptr;

void visit(uintptr_t address) {
  size_t at = address * 0x9e3779b97f4a7c15u >> 50;
  while (visited[at] != 0 && visited[at] != address) at = (at + 1) % kVisitedMax;
  if (visited[at] == address || visited_count == kVisitedMax / 2) return;
  visited[at] = address;
  visited_count++;
}

bool is_in_image(uintptr_t address) {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(address), &info) && info.dli_fname &&
         std::string_view(info.dli_fname).starts_with(world->options.scratch);
}

bool is_of_program(const std::string& file) {
  std::string path = std::filesystem::absolute(file).lexically_normal().string();
  return !file.empty() && !path.starts_with("/usr/") && !path.starts_with(world->options.header_folder);
}

// Code of a header is part of the line of the program that it was inlined into, which stands close before it.
std::string line_of_program(const LineTable& table, uint64_t address) {
  const LineRow* row = find_row(table, address);
  while (row && !row->is_end && (row->line == 0 || !is_of_program(table.files[row->file])))
    row = row == table.rows.data() ? nullptr : row - 1;
  return row && !row->is_end ? concat(table.files[row->file], ":", row->line) : "";
}

struct Library {
  uintptr_t base = 0;
  LineTable lines;
};

Library library_at(const Dl_info& info) {
  Result<std::string> elf = read_file(info.dli_fname);
  if (!elf) return {};
  return {reinterpret_cast<uintptr_t>(info.dli_fbase), parse_line_table(elf_section(*elf, ".debug_line"))};
}

std::string line_in(std::map<std::string, Library>& libraries, uintptr_t address) {
  Dl_info info;
  if (address == 0 || !dladdr(reinterpret_cast<void*>(address), &info) || !info.dli_fname) return "";
  auto [library, is_added] = libraries.try_emplace(info.dli_fname);
  if (is_added) library->second = library_at(info);
  return line_of_program(library->second.lines, address - library->second.base);
}

std::vector<std::string> visited_lines() {
  std::map<std::string, Library> libraries;
  std::set<std::pair<std::string, unsigned long>> lines;  // By file and number.
  for (uintptr_t address : visited) {
    std::string line = line_in(libraries, address);
    size_t colon = line.rfind(':');
    if (colon != line.npos) lines.emplace(line.substr(0, colon), std::stoul(line.substr(colon + 1)));
  }
  std::vector<std::string> texts;
  for (const auto& [file, number] : lines) texts.push_back(concat(file, ":", number));
  return texts;
}

void on_step(int, siginfo_t*, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  auto address = static_cast<uintptr_t>(registers[REG_RIP]);
  if (!watched) watched = current_thread;
  if (watched == current_thread) visit(address);
  if (++step_count < kStepsMax || (step_count < 2 * kStepsMax && !is_in_image(address))) return;
  registers[REG_EFL] &= ~kTrapFlag;
  report(visited_lines());
}

}  // namespace

std::string line_of_code(uintptr_t address) {
  std::map<std::string, Library> libraries;
  return line_in(libraries, address);
}

void watch_lines(void* context, void (*on_done)(const std::vector<std::string>& lines)) {
  if (report) return;
  watched = current_thread;
  report = on_done;
  struct sigaction action = {};
  action.sa_sigaction = on_step;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGTRAP, &action, nullptr);
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
}

}  // namespace cuco::vcluster
