// What Clang makes of pragmas: regions, loops, sections, barriers, locks, tasks. The names and the order of arguments
// are those of libomp's kmp.h.
#include <algorithm>
#include <cstdarg>
#include <cstring>

#include "base/text.h"
#include "vcluster/runtime/api/host/openmp/teams.h"
#include "vcluster/runtime/api/host/waiting.h"
#include "vcluster/runtime/checkers/happens_before.h"

using namespace cuco::vcluster;
using namespace cuco::vcluster::openmp;

namespace {

constexpr const char* kCritical = "an OpenMP critical section";

void meet_at(const ident_t* place) {
  Place here(place);
  meet(cuco::concat("an OpenMP barrier of ", self().member.team->size, " threads"));
}

// kmp.h: enum sched_type, without the modifiers in its highest bits. From 65 on loops with ordered parts.
enum ScheduleCode {
  kStaticChunks = 33,
  kDynamic = 35,
  kGuided = 36,
  kRuntime = 37,
  kStaticBalanced = 45,
  kOrderedBegin = 64,
  kOrderedShift = 32,
  kModifiers = 3 << 29
};

Schedule schedule_of(int code) {
  if (code > kOrderedBegin) code -= kOrderedShift;
  if (code == kRuntime) return settings().schedule;
  if (code == kDynamic) return Schedule::Dynamic;
  if (code == kGuided) return Schedule::Guided;
  return code == kStaticChunks ? Schedule::StaticChunks : Schedule::Static;
}

// In: the whole loop. Out: the thread's first part, and how far it is to its next one.
template <typename Integer, typename Signed>
void static_init(int code, int* is_last, Integer* lower, Integer* upper, Signed* stride, Signed step, Signed chunk) {
  const Member& member = self().member;
  auto threads = static_cast<uint64_t>(member.team->size), thread = static_cast<uint64_t>(member.number);
  uint64_t count = iteration_count(*lower, *upper, step);
  auto size = static_cast<uint64_t>(std::max<Signed>(chunk, 1));
  code &= ~kModifiers;
  // One part a thread, a multiple of a vector's size.
  if (code == kStaticBalanced) size = ((count + threads - 1) / threads + size - 1) / size * size;
  bool in_chunks = code == kStaticChunks || code == kStaticBalanced;
  Share share = in_chunks ? Share{thread * size, (thread + 1) * size} : static_share(count, threads, thread);
  share.end = std::min(share.end, count);
  bool is_empty = share.begin >= share.end;
  if (is_last)
    *is_last = count > 0 && (in_chunks ? (count - 1) / size % threads == thread : !is_empty && share.end == count);
  // A part without iterations begins behind its end.
  if (is_empty) share.begin = share.end = count;
  auto at = [first = *lower, step](uint64_t iteration) {
    return static_cast<Integer>(first + static_cast<Integer>(iteration) * static_cast<Integer>(step));
  };
  *lower = at(share.begin), *upper = static_cast<Integer>(at(share.end) - static_cast<Integer>(step));
  *stride = static_cast<Signed>(static_cast<Integer>(in_chunks ? size * threads : count) * static_cast<Integer>(step));
}

template <typename Integer, typename Signed>
void dispatch_init(int code, Integer lower, Integer upper, Signed step, Signed chunk) {
  if (running()) world->settle_host_work();
  Member& member = self().member;
  uint64_t number = member.loops++;
  SharedLoop& loop = member.team->loops[number];
  if (loop.left == 0 && loop.count == 0) {
    code &= ~kModifiers;
    bool at_run_time = code == kRuntime || code == kRuntime + kOrderedShift;
    loop.schedule = schedule_of(code);
    loop.chunk = at_run_time ? settings().chunk : static_cast<uint64_t>(std::max<Signed>(chunk, 1));
    loop.count = iteration_count(lower, upper, step);
  }
  member.loop = &loop;
  member.loop_number = number;
  member.loop_progress = {};
  member.loop_first = static_cast<int64_t>(lower), member.loop_step = static_cast<int64_t>(step);
}

template <typename Integer, typename Signed>
int dispatch_next(int* is_last, Integer* lower, Integer* upper, Signed* stride) {
  if (running()) world->settle_host_work();
  Member& member = self().member;
  if (!member.loop) return 0;
  SharedLoop& loop = *member.loop;
  bool is_common = loop.schedule == Schedule::Dynamic || loop.schedule == Schedule::Guided;
  Share share = next_share(loop.schedule, loop.count, loop.chunk, static_cast<uint64_t>(member.team->size),
                           static_cast<uint64_t>(member.number), is_common ? loop.progress : member.loop_progress);
  if (share.begin == share.end) {
    member.loop = nullptr;
    if (++loop.left == member.team->size) member.team->loops.erase(member.loop_number);
    return 0;
  }
  auto at = [&](uint64_t iteration) {
    return static_cast<Integer>(static_cast<Integer>(member.loop_first) +
                                static_cast<Integer>(iteration) * static_cast<Integer>(member.loop_step));
  };
  *lower = at(share.begin), *upper = at(share.end - 1), *stride = static_cast<Signed>(member.loop_step);
  if (is_last) *is_last = share.end == loop.count;
  member.iteration = share.begin, member.passed_ordered = false;
  return 1;
}

void wait_for_turn(const SharedLoop& loop, uint64_t iteration) {
  while (loop.ordered_next != iteration && running()) wait_at(&loop.ordered_next, "its turn in an OpenMP ordered loop");
  races().host_acquire(&loop.ordered_next);
}
void end_turn(SharedLoop& loop) {
  races().host_release(&loop.ordered_next);
  loop.ordered_next++;
  wake_at(&loop.ordered_next, SIZE_MAX);
}

// After each iteration of a loop with ordered parts: one that made no such part still has its turn.
void end_iteration() {
  Member& member = self().member;
  if (!member.loop) return;
  if (!std::exchange(member.passed_ordered, false)) {
    wait_for_turn(*member.loop, member.iteration);
    end_turn(*member.loop);
  }
  member.iteration++;
}

struct MadeTask {
  TaskPtr task;
  size_t bytes = 0;
};

// That the program has and has not handed back yet.
std::map<const TaskFrame*, MadeTask>& made_tasks() {
  static std::map<const TaskFrame*, MadeTask> all;
  return all;
}

// Behind its own bytes are those that it shares with others.
TaskFrame* make_task(size_t bytes, size_t shared_bytes, int (*entry)(int, TaskFrame*)) {
  if (!running()) {
    world->add_finding("unsupported", 0, "OpenMP tasks in a function that a stream calls");
    world->end_run("fault", 2);
  }
  size_t own = (bytes + 15) / 16 * 16;
  auto* frame = static_cast<TaskFrame*>(current_process().heap.allocate(own + shared_bytes));
  std::memset(static_cast<void*>(frame), 0, own + shared_bytes);
  frame->shareds = shared_bytes > 0 ? reinterpret_cast<char*>(frame) + own : nullptr;
  frame->entry = entry;
  auto task = std::make_shared<Task>();
  task->frame = frame;
  made_tasks()[frame] = {task, own + shared_bytes};
  return frame;
}

TaskPtr take_task(const TaskFrame* frame) {
  auto found = made_tasks().find(frame);
  if (found == made_tasks().end()) return nullptr;
  TaskPtr task = found->second.task;
  made_tasks().erase(found);
  task->parent = self().member.task;
  task->parent->children++;
  return task;
}

void execute_now(const TaskFrame* frame) {
  if (TaskPtr task = take_task(frame)) execute(task);
}

// Tasks whose iterations are all executed by one of them, as a loop that is not worth dividing. Clang's copy function
// gives the copy what it has of its own.
void execute_taskloop(TaskFrame* pattern, void (*copy)(TaskFrame*, TaskFrame*, int)) {
  auto found = made_tasks().find(pattern);
  if (found == made_tasks().end()) return;
  if (copy) {
    size_t bytes = found->second.bytes;
    TaskFrame* made = make_task(bytes, 0, pattern->entry);
    std::memcpy(static_cast<void*>(made), pattern, bytes);
    if (pattern->shareds)
      made->shareds =
          reinterpret_cast<char*>(made) + (static_cast<char*>(pattern->shareds) - reinterpret_cast<char*>(pattern));
    copy(made, pattern, 1);
    made_tasks().erase(pattern);
    current_process().heap.free(pattern);
    pattern = made;
  }
  execute_now(pattern);
}

}  // namespace

extern "C" {

int __kmpc_global_thread_num(ident_t*) { return *self().number; }
void __kmpc_push_num_threads(ident_t*, int, int count) { self().threads_next = count; }
void __kmpc_push_proc_bind(ident_t*, int, int) {}

void __kmpc_fork_call(ident_t* place, int count, Region region, ...) {
  va_list list;
  va_start(list, region);
  std::vector<void*> arguments;
  for (int i = 0; i < count; i++) arguments.push_back(va_arg(list, void*));
  va_end(list);
  Place here(place);
  fork(region, std::move(arguments));
}
void __kmpc_serialized_parallel(ident_t*, int) { begin_serial(); }
void __kmpc_end_serialized_parallel(ident_t*, int) { end_serial(); }

void __kmpc_barrier(ident_t* place, int) { meet_at(place); }
int __kmpc_cancel_barrier(ident_t* place, int) {
  meet_at(place);
  return 0;
}
// Cancellation is off unless OMP_CANCELLATION says otherwise.
int __kmpc_cancel(ident_t*, int, int) { return 0; }
int __kmpc_cancellationpoint(ident_t*, int, int) { return 0; }
void __kmpc_flush(ident_t*) {}

int __kmpc_master(ident_t*, int) { return self().member.number == 0 ? 1 : 0; }
void __kmpc_end_master(ident_t*, int) {}
int __kmpc_masked(ident_t*, int, int number) { return self().member.number == number ? 1 : 0; }
void __kmpc_end_masked(ident_t*, int) {}

// The first thread that comes by executes it.
int __kmpc_single(ident_t*, int) {
  if (running()) world->settle_host_work();
  Member& member = self().member;
  if (member.singles++ != member.team->singles) return 0;
  member.team->singles++;
  return 1;
}
void __kmpc_end_single(ident_t*, int) {}
void __kmpc_copyprivate(ident_t* place, int, size_t, void* own, void (*copy)(void*, void*), int is_source) {
  Team& team = *self().member.team;
  if (is_source) team.private_copy = own;
  meet_at(place);
  if (!is_source) copy(own, team.private_copy);
  meet_at(place);
}

void __kmpc_critical(ident_t* place, int, int* name) {
  Place here(place);
  lock(name, kCritical);
}
void __kmpc_critical_with_hint(ident_t* place, int number, int* name, uint32_t) {
  __kmpc_critical(place, number, name);
}
void __kmpc_end_critical(ident_t*, int, int* name) { unlock(name); }

// 1: the thread adds its part to the result by itself, under a lock.
int __kmpc_reduce_nowait(ident_t* place, int, int, size_t, void*, void (*)(void*, void*), int* name) {
  Place here(place);
  lock(name, kCritical);
  return 1;
}
void __kmpc_end_reduce_nowait(ident_t*, int, int* name) { unlock(name); }
int __kmpc_reduce(ident_t* place, int number, int count, size_t bytes, void* data, void (*reduce)(void*, void*),
                  int* name) {
  return __kmpc_reduce_nowait(place, number, count, bytes, data, reduce, name);
}
void __kmpc_end_reduce(ident_t* place, int, int* name) {
  unlock(name);
  meet_at(place);
}

void __kmpc_for_static_init_4(ident_t*, int, int code, int* is_last, int32_t* lower, int32_t* upper, int32_t* stride,
                              int32_t step, int32_t chunk) {
  static_init(code, is_last, lower, upper, stride, step, chunk);
}
void __kmpc_for_static_init_4u(ident_t*, int, int code, int* is_last, uint32_t* lower, uint32_t* upper, int32_t* stride,
                               int32_t step, int32_t chunk) {
  static_init(code, is_last, lower, upper, stride, step, chunk);
}
void __kmpc_for_static_init_8(ident_t*, int, int code, int* is_last, int64_t* lower, int64_t* upper, int64_t* stride,
                              int64_t step, int64_t chunk) {
  static_init(code, is_last, lower, upper, stride, step, chunk);
}
void __kmpc_for_static_init_8u(ident_t*, int, int code, int* is_last, uint64_t* lower, uint64_t* upper, int64_t* stride,
                               int64_t step, int64_t chunk) {
  static_init(code, is_last, lower, upper, stride, step, chunk);
}
void __kmpc_for_static_fini(ident_t*, int) {}

void __kmpc_dispatch_init_4(ident_t*, int, int code, int32_t lower, int32_t upper, int32_t step, int32_t chunk) {
  dispatch_init(code, lower, upper, step, chunk);
}
void __kmpc_dispatch_init_4u(ident_t*, int, int code, uint32_t lower, uint32_t upper, int32_t step, int32_t chunk) {
  dispatch_init(code, lower, upper, step, chunk);
}
void __kmpc_dispatch_init_8(ident_t*, int, int code, int64_t lower, int64_t upper, int64_t step, int64_t chunk) {
  dispatch_init(code, lower, upper, step, chunk);
}
void __kmpc_dispatch_init_8u(ident_t*, int, int code, uint64_t lower, uint64_t upper, int64_t step, int64_t chunk) {
  dispatch_init(code, lower, upper, step, chunk);
}
int __kmpc_dispatch_next_4(ident_t*, int, int* is_last, int32_t* lower, int32_t* upper, int32_t* stride) {
  return dispatch_next(is_last, lower, upper, stride);
}
int __kmpc_dispatch_next_4u(ident_t*, int, int* is_last, uint32_t* lower, uint32_t* upper, int32_t* stride) {
  return dispatch_next(is_last, lower, upper, stride);
}
int __kmpc_dispatch_next_8(ident_t*, int, int* is_last, int64_t* lower, int64_t* upper, int64_t* stride) {
  return dispatch_next(is_last, lower, upper, stride);
}
int __kmpc_dispatch_next_8u(ident_t*, int, int* is_last, uint64_t* lower, uint64_t* upper, int64_t* stride) {
  return dispatch_next(is_last, lower, upper, stride);
}
void __kmpc_dispatch_fini_4(ident_t*, int) { end_iteration(); }
void __kmpc_dispatch_fini_4u(ident_t*, int) { end_iteration(); }
void __kmpc_dispatch_fini_8(ident_t*, int) { end_iteration(); }
void __kmpc_dispatch_fini_8u(ident_t*, int) { end_iteration(); }
void __kmpc_dispatch_deinit(ident_t*, int) {}

void __kmpc_ordered(ident_t* place, int) {
  Place here(place);
  const Member& member = self().member;
  if (member.loop) wait_for_turn(*member.loop, member.iteration);
}
void __kmpc_end_ordered(ident_t*, int) {
  Member& member = self().member;
  if (!member.loop) return;
  member.passed_ordered = true;
  end_turn(*member.loop);
}

TaskFrame* __kmpc_omp_task_alloc(ident_t*, int, int, size_t bytes, size_t shared_bytes, int (*entry)(int, TaskFrame*)) {
  return make_task(bytes, shared_bytes, entry);
}
int __kmpc_omp_task(ident_t*, int, TaskFrame* frame) {
  if (TaskPtr task = take_task(frame)) queue(task);
  return 0;
}
// In the order in which they are made, which keeps every dependence.
int __kmpc_omp_task_with_deps(ident_t*, int, TaskFrame* frame, int, void*, int, void*) {
  execute_now(frame);
  return 0;
}
// A task that is not deferred: the program calls its code itself.
void __kmpc_omp_task_begin_if0(ident_t*, int, TaskFrame* frame) {
  if (TaskPtr task = take_task(frame)) task->outer = std::exchange(self().member.task, task);
}
void __kmpc_omp_task_complete_if0(ident_t*, int, TaskFrame* frame) {
  Member& member = self().member;
  if (member.task->frame != frame || !member.task->outer) return;
  TaskPtr task = member.task;
  member.task = std::exchange(task->outer, nullptr);
  task->parent->children--;
  current_process().heap.free(frame);
}
void __kmpc_omp_wait_deps(ident_t*, int, int, void*, int, void*) {}
void __kmpc_omp_taskwait_deps_51(ident_t*, int, int, void*, int, void*, int) {}
int __kmpc_omp_taskwait(ident_t* place, int) {
  Place here(place);
  wait_for_children();
  return 0;
}
int __kmpc_omp_taskyield(ident_t*, int, int) { return 0; }
// The tasks of a group are those that its thread's task makes in it, and theirs: each of these ends after its own.
void __kmpc_taskgroup(ident_t*, int) {}
void __kmpc_end_taskgroup(ident_t* place, int) {
  Place here(place);
  wait_for_children();
}
void __kmpc_taskloop(ident_t*, int, TaskFrame* frame, int, uint64_t*, uint64_t*, int64_t, int, int, uint64_t,
                     void (*copy)(TaskFrame*, TaskFrame*, int)) {
  execute_taskloop(frame, copy);
}
}
