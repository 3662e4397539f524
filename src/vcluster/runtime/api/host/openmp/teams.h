// OpenMP's threads. Clang turns pragmas into calls of the interface that libomp has (__kmpc_*); the runner answers them
// itself, because the threads of libomp would be the machine's and not the run's. A thread of a team is a host thread
// of the run as std::thread's are. Those that a region has started stay for the next region of the same thread, with
// their current device and their thread_local variables, and wait without being named when a run is stuck.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vcluster/runtime/api/host/openmp/shares.h"
#include "vcluster/runtime/engine/world.h"

// Where a construct stands, as Clang describes it: ";FILE;FUNCTION;LINE;COLUMN;;".
struct ident_t {
  int32_t reserved[4];
  const char* source;
};

namespace cuco::vcluster::openmp {

// The code of a region: the number of the thread, a number that is not used, and the region's variables.
using Region = void (*)(int*, int*, ...);

// A task as Clang lays it out, with the program's data behind; `shareds` comes first.
struct TaskFrame {
  void* shareds;
  int (*entry)(int, TaskFrame*);
};

struct Member;

struct Task {
  TaskFrame* frame = nullptr;
  std::shared_ptr<Task> parent;
  std::shared_ptr<Task> outer;  // That the thread goes on with after one that is not deferred.
  size_t children = 0;          // That are not over.
  bool is_queued = false;
};
using TaskPtr = std::shared_ptr<Task>;

// A loop whose iterations are given out while it runs. All threads of the team pass it.
struct SharedLoop {
  uint64_t count = 0, chunk = 1;
  Schedule schedule = Schedule::Static;
  Progress progress;          // Of all threads.
  uint64_t ordered_next = 0;  // The iteration whose ordered part is next.
  int left = 0;               // How many threads are through.
};

// The threads that execute a region.
struct Team {
  int size = 1;
  int level = 0, active_level = 0;
  Member* parent = nullptr;  // As the thread was that met the region.
  std::vector<HostThread*> threads;
  Region region = nullptr;
  std::vector<void*> arguments;
  int arrived = 0;  // At the barrier.
  uint64_t barriers = 0;
  uint64_t singles = 0;                  // That a thread has taken.
  std::map<uint64_t, SharedLoop> loops;  // By how many such loops a thread met before it.
  void* private_copy = nullptr;          // What copyprivate hands from one thread to the others.
  std::deque<TaskPtr> tasks;             // That nobody executes yet.
  size_t open_tasks = 0;                 // That were queued and are not over.
};

// What a thread is in the region that it executes.
struct Member {
  std::shared_ptr<Team> team;
  int number = 0;
  uint64_t singles = 0, loops = 0;          // Met so far.
  int threads_wanted = 0;                   // omp_set_num_threads; 0: not called.
  TaskPtr task = std::make_shared<Task>();  // That it executes: a task of the program, or the region itself.
  // Of the loop that is given out while it runs.
  SharedLoop* loop = nullptr;
  uint64_t loop_number = 0;
  Progress loop_progress;
  int64_t loop_first = 0, loop_step = 1;
  uint64_t iteration = 0;  // Of those with an ordered part.
  bool passed_ordered = false;
};

// A thread that a region has started.
struct Worker {
  HostThread* thread = nullptr;
  std::deque<Member> regions;  // That it is to take part in: one, or a second while it is on its way out of the first.
  bool is_parked = false;
};

struct Thread {
  Member member;
  int threads_next = 0;  // num_threads of the region that comes next; 0: none.
  // Those that it has started, by how many regions with several threads are around theirs.
  std::map<int, std::vector<std::unique_ptr<Worker>>> workers;
  std::deque<Member> outer;  // Around regions that one thread executes by itself.
  int* number = nullptr;     // In the program's memory, where regions get it from.
};

// The running host thread's. Where no host thread runs, that of a thread alone.
Thread& self();

int thread_count_max(const Thread& thread);

// Of a process.
struct Settings {
  int levels_max = 1;                     // Of regions in each other that have more than one thread.
  Schedule schedule = Schedule::Dynamic;  // Of schedule(runtime).
  uint64_t chunk = 1;
};
Settings& settings();

// "at FILE:LINE" in what a stuck run says of the thread, as long as this lives.
class Place {
 public:
  explicit Place(const ident_t* ident);
  ~Place();
  Place(const Place&) = delete;

 private:
  const char* before_ = nullptr;
};

void fork(Region region, std::vector<void*> arguments);
void begin_serial();
void end_serial();
// Waits for all threads of the team and until all tasks are over.
void meet(const std::string& what);

// A lock is a word that is not 0 while it is held.
void lock(int* word, const char* what);
bool try_lock(int* word);
void unlock(int* word);

// Executes it at once, and those that it makes.
void execute(const TaskPtr& task);
// Waits for the tasks that the running one has made.
void wait_for_children();
// Leaves it to whichever thread of the team waits next.
void queue(const TaskPtr& task);

}  // namespace cuco::vcluster::openmp
