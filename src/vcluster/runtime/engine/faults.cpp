#include "vcluster/runtime/engine/faults.h"

#include <driver_types.h>
#include <fcntl.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "vcluster/runtime/checkers/ownership.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/engine/answers.h"
#include "vcluster/runtime/engine/spin_lines.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/gpu/page_views.h"

namespace cuco::vcluster {

namespace {

constexpr size_t kSignalStackBytes = 256u << 10;

std::string describe(uintptr_t address) {
  if (address < 4096) return "a null pointer";
  int rank = device_of(address);
  if (rank >= 0 && static_cast<size_t>(rank) < world->devices.size()) return describe_memory(address, running_rank());
  if (address >= kMulticastBase && address < kMulticastBase + (uintptr_t{1} << 44))
    return "a multicast address, which only multimem instructions may use";
  if (is_handle(address)) return "a handle, which is no address";
  if (address >= kSharedBase && address < kSharedEnd) return "memory beyond the block's shared memory";
  if (world->host_stacks.is_guard(address)) return "the end of a host stack: it overflowed";
  if (world->device_stacks.is_guard(address)) return "the end of a GPU thread's stack: it overflowed";
  return "an address that is not mapped";
}

std::string who() {
  if (current_thread) {
    const KernelLaunch& launch = current_block->grid().launch();
    return concat("kernel ", launch.name, " launched at ", launch.place, ", block ", current_block->index(), " thread ",
                  current_thread->index);
  }
  if (world->current_host) return concat("host thread ", world->current_host->number);
  return "a copy or collective";
}

const char* name_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "memory access";
    case SIGBUS:
      return "misaligned or truncated access";
    case SIGFPE:
      return "integer division by zero";
    case SIGILL:
      return "illegal instruction";
    default:
      return "abort";
  }
}

cudaError_t error_of(int signal) {
  if (signal == SIGSEGV) return cudaErrorIllegalAddress;
  return signal == SIGBUS ? cudaErrorMisalignedAddress : cudaErrorLaunchFailure;
}

cudaError_t error_of_fault = cudaSuccess;

void break_device() { current_block->break_device(error_of_fault); }

// The GPU thread goes on in break_device, at the beginning of its stack: what it had there is lost with it.
void leave_kernel(int signal, void* context) {
  error_of_fault = error_of(signal);
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  constexpr uintptr_t kAlignment = 16;
  uintptr_t top = reinterpret_cast<uintptr_t>(current_stack_top()) & ~(kAlignment - 1);
  registers[REG_RSP] = static_cast<greg_t>(top - sizeof(void*));  // As after a call.
  registers[REG_RIP] = reinterpret_cast<greg_t>(&break_device);
}

// Of the line at fault; inside a library that of the call that led there.
std::string place_of_fault(void* context) {
  auto code = static_cast<uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  if (std::string line = line_of_code(code); !line.empty()) return concat(" at ", line);
  return current_thread ? "" : host_place();
}

void on_fault(int signal, siginfo_t* info, void* context) {
  std::string text = concat(who(), ": ", name_of(signal));
  if (signal == SIGSEGV || signal == SIGBUS) text += " to " + describe(reinterpret_cast<uintptr_t>(info->si_addr));
  text += place_of_fault(context);
  world->add_finding(signal == SIGABRT ? "abort" : "memory_access", running_rank(), text);
  if (current_thread && signal != SIGABRT) return leave_kernel(signal, context);
  world->end_run("fault", 1);
}

// Not where it is: a loop of plain code has no place that is known.
std::string latest_call() {
  const char* place = current_thread        ? current_thread->place
                      : world->current_host ? world->current_host->place
                                            : nullptr;
  return place ? concat(", after its library call at ", place, ",") : "";
}

constexpr size_t kLinesMax = 12;
constexpr const char* kMoreTime =
    "give it more with --limit SECONDS, or less to do: smaller sizes, fewer iterations; simulate --sample estimates "
    "the "
    "times of full sizes";

// When something last ended, in processor time, as far as the looks show. What kernels do on their way, such as to meet
// at a barrier, they may do for ever.
long progress_at_ms = 0;
uint64_t progress_seen = 0;

void note_progress_made() {
  uint64_t made = world->done.all();
  if (made == progress_seen) return;
  progress_seen = made;
  progress_at_ms = processor_ms();
}

// The last fifth of a program's time, or the last seconds.
long patience_ms() { return std::min(10'000L, 200L * world->options.limit_s); }

// A program of which something still ended within the patience may be only slow, unless its host is told the same by
// all that ends.
bool is_only_slow() {
  return processor_ms() - progress_at_ms <= patience_ms() && answers().repeated(processor_ms(), patience_ms()) == 0;
}

std::string standstill_text() {
  if (uint64_t same = answers().repeated(processor_ms(), patience_ms()))
    return concat("the last ", same, " copies to the host have brought what the same copies had brought before");
  return concat("nothing has ended for ", (processor_ms() - progress_at_ms) / 1000, " s");
}

std::string progress_text() {
  return concat("so far ", counted(world->done.kernels, "kernel"), ", ",
                counted(world->done.collectives, "collective or message", "collectives and messages"), " and ",
                counted(world->done.copies, "copy", "copies"), " have ended in ", to_us(world->now()),
                " us of virtual time");
}

std::string limit_text() { return concat("the limit of ", world->options.limit_s, " s of processor time"); }

void report_slow() {
  world->add_finding(
      "time_limit", running_rank(),
      concat(who(), latest_call(), " was at work when ", limit_text(),
             " was reached; the program goes on, slowly or for ever: ", progress_text(), "; ", kMoreTime));
  world->end_run("time_limit", 1);
}

void report_spin(const std::vector<std::string>& lines) {
  std::string round =
      lines.empty()
          ? ""
          : concat(
                "; it goes round ",
                join({lines.begin(), lines.begin() + static_cast<ptrdiff_t>(std::min(lines.size(), kLinesMax))}, ", "));
  world->add_finding("no_progress", running_rank(),
                     concat(who(), latest_call(), " was running when ", limit_text(), " was reached, and ",
                            standstill_text(), round, "; ", progress_text(), "; if it is only slow, ", kMoreTime));
  world->end_run("time_limit", 1);
}

// A loop without any waiting cannot be interrupted by the scheduler; the limit on processor time can.
void on_time_limit(int, siginfo_t*, void* context) {
  note_progress_made();
  if (is_only_slow()) report_slow();
  watch_lines(context, report_spin);
}

// A limit on address space would hit the runtime's own reservations, so what is really in use is looked at instead.
constexpr long kLookEveryNs = 200'000'000;
size_t memory_bytes_max = 0;

// Pages of its own, and those that views share, which are the run's whether a view has touched them or not.
size_t memory_bytes_in_use() {
  int file = open("/proc/self/statm", O_RDONLY);
  char text[128] = {};
  ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  char* at = got > 0 ? std::strchr(text, ' ') : nullptr;
  size_t resident = at ? std::strtoull(at, &at, 10) : 0, of_files = at ? std::strtoull(at, &at, 10) : 0;
  return (resident - of_files) * static_cast<size_t>(sysconf(_SC_PAGESIZE)) + page_views().stored_bytes();
}

// What the program itself has asked for: the rest is the run's own.
std::string memory_text() {
  size_t bytes = 0;
  for (const std::unique_ptr<Device>& device : world->devices) bytes += device->memory.used_bytes();
  return concat("; its GPUs hold ", bytes >> 20, " MiB");
}

void check_memory() {
  if (memory_bytes_in_use() < memory_bytes_max) return;
  world->add_finding("memory_limit", running_rank(),
                     concat(who(), " was running when the run had taken ", memory_bytes_max >> 20,
                            " MiB of the host's memory, which is the limit", memory_text(), "; ", progress_text(),
                            "; give it more with --memory GIB, or smaller sizes; without --check it needs less"));
  world->end_run("memory_limit", 1);
}

// The scheduler never sleeps: a run that takes no processor time is in a call that waits for the outside world. One
// that others keep from the processor takes at least a little.
void check_activity() {
  constexpr int kIdleLooksMax = 50;
  constexpr long kBusyMs = 20;
  static long busy_at_ms = 0;
  static int idle_looks = 0;
  long now_ms = processor_ms();
  if (now_ms - busy_at_ms >= kBusyMs) busy_at_ms = now_ms, idle_looks = 0;
  if (++idle_looks < kIdleLooksMax) return;
  world->add_finding("no_progress", running_rank(),
                     concat(who(), latest_call(), " has waited for ", kIdleLooksMax * kLookEveryNs / 1'000'000'000,
                            " s for something outside of the virtual cluster"));
  world->end_run("time_limit", 1);
}

void on_look(int) {
  note_progress_made();
  check_memory();
  check_activity();
}

void watch_run() {
  size_t half = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE)) / 2;
  memory_bytes_max = world->options.memory_mib_max > 0 ? world->options.memory_mib_max << 20 : half;
  struct sigaction look = {};
  look.sa_handler = on_look;
  look.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGRTMIN, &look, nullptr);
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGRTMIN;
  timer_t timer = {};
  itimerspec every = {{0, kLookEveryNs}, {0, kLookEveryNs}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) timer_settime(timer, 0, &every, nullptr);
}

}  // namespace

void catch_faults() {
  stack_t stack = {};
  stack.ss_sp = std::malloc(kSignalStackBytes);
  stack.ss_size = kSignalStackBytes;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
  struct sigaction limit = {};
  limit.sa_sigaction = on_time_limit;
  limit.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGXCPU, &limit, nullptr);
  watch_run();
}

}  // namespace cuco::vcluster
