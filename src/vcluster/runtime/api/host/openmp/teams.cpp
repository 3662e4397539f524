#include "vcluster/runtime/api/host/openmp/teams.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "vcluster/runtime/api/host/waiting.h"
#include "vcluster/runtime/checkers/happens_before.h"

namespace cuco::vcluster::openmp {

namespace {

std::shared_ptr<Team> team_of_one(Member* parent) {
  auto team = std::make_shared<Team>();
  team->parent = parent;
  team->threads = {running() ? world->current_host : nullptr};
  if (parent) team->level = parent->team->level + 1, team->active_level = parent->team->active_level;
  return team;
}

int* make_number(int number) {
  static int nobodys = 0;
  if (!running()) return &nobodys;
  auto* place = static_cast<int*>(current_process().heap.allocate(sizeof(int)));
  *place = number;
  return place;
}

// OMP_NUM_THREADS of the process, which may be a list, one number a level; 0: not set.
int environment_count() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  return text ? std::max(std::atoi(text), 0) : 0;
}

// A call through registers and stack takes no notice of arguments that are too many.
template <size_t... Index>
void call_with(Region region, int* number, const std::vector<void*>& arguments, std::index_sequence<Index...>) {
  auto argument = [&](size_t index) { return index < arguments.size() ? arguments[index] : nullptr; };
  region(number, number, argument(Index)...);
}

constexpr size_t kArgumentsMax = 512;
constexpr Time kLateMax = 20 * kMicrosecond;  // As other host threads start, where that is drawn.

void call(Region region, int* number, const std::vector<void*>& arguments) {
  if (arguments.size() <= 16) return call_with(region, number, arguments, std::make_index_sequence<16>());
  call_with(region, number, arguments, std::make_index_sequence<kArgumentsMax>());
}

void run_share(const std::shared_ptr<Team>& team) {
  call(team->region, self().number, team->arguments);
  meet(concat("the end of an OpenMP region of ", team->size, " threads"));
}

Member member_of(const std::shared_ptr<Team>& team, int number, int threads_wanted) {
  Member member;
  member.team = team;
  member.number = number;
  member.threads_wanted = threads_wanted;
  return member;
}

void* work(void* argument) {
  auto& worker = *static_cast<Worker*>(argument);
  for (;;) {
    while (worker.regions.empty()) {
      worker.is_parked = true;
      world->wait("");
    }
    races().host_acquire(&worker);
    self().member = std::move(worker.regions.front());
    worker.regions.pop_front();
    run_share(self().member.team);
    self().member = Member();
  }
}

// One that was just made is on its way by itself.
void wake_if_parked(Worker& worker) {
  worker.thread->is_spare = false;
  if (!std::exchange(worker.is_parked, false)) return;
  bool is_drawn = world->options.seed != 0;
  world->wake(*worker.thread, world->now() + (is_drawn ? static_cast<Time>(world->random.below(kLateMax)) : 0));
}

// As many as are wanted, where another level of threads is allowed and there are stacks for them.
int size_of_next(Thread& thread) {
  int wanted = std::exchange(thread.threads_next, 0);
  if (!running() || thread.member.team->active_level >= settings().levels_max) return 1;
  if (wanted <= 0) wanted = thread_count_max(thread);
  std::vector<std::unique_ptr<Worker>>& workers = thread.workers[thread.member.team->active_level];
  int size = 1;
  for (; size < wanted; size++) {
    if (size <= static_cast<int>(workers.size())) continue;
    if (world->host_stacks.is_exhausted()) break;
    Worker* made = workers.emplace_back(std::make_unique<Worker>()).get();
    made->thread = world->start_thread(current_process(), work, made);
    made->thread->device = 0;
    races().host_starts(made->thread);
  }
  return size;
}

}  // namespace

Thread& self() {
  static std::map<const HostThread*, Thread> all;
  const HostThread* host = running() ? world->current_host : nullptr;
  Thread& thread = all[host];
  if (!thread.number) thread.number = make_number(host ? host->number : 0);
  if (!thread.member.team) thread.member.team = team_of_one(nullptr);
  return thread;
}

// A thread a GPU is what programs without a number most often mean. The machine's number of cores would make results
// differ from machine to machine.
int thread_count_max(const Thread& thread) {
  if (thread.member.threads_wanted > 0) return thread.member.threads_wanted;
  if (int count = environment_count(); count > 0) return count;
  return running() ? std::max(static_cast<int>(current_process().devices.size()), 1) : 1;
}

Settings& settings() {
  static std::map<const Process*, Settings> all;
  return all[running() ? &current_process() : nullptr];
}

Place::Place(const ident_t* ident) {
  if (!running()) return;
  before_ = world->current_host->place;
  static std::map<const char*, std::string> places;
  const char* source = ident ? ident->source : nullptr;
  if (!source) return;
  auto [found, is_first] = places.try_emplace(source);
  if (is_first)
    if (std::vector<std::string> parts = split(source, ';'); parts.size() > 3 && parts[3] != "0")
      found->second = concat(parts[1], ":", parts[3]);
  if (!found->second.empty()) world->current_host->place = found->second.c_str();
}
Place::~Place() {
  if (running()) world->current_host->place = before_;
}

void begin_serial() {
  Thread& thread = self();
  int threads_wanted = thread.member.threads_wanted;
  thread.threads_next = 0;
  thread.outer.push_back(std::move(thread.member));
  thread.member = member_of(nullptr, 0, threads_wanted);
  thread.member.team = team_of_one(&thread.outer.back());
}
void end_serial() {
  Thread& thread = self();
  if (thread.outer.empty()) return;
  thread.member = std::move(thread.outer.back());
  thread.outer.pop_back();
}

void fork(Region region, std::vector<void*> arguments) {
  Thread& thread = self();
  if (arguments.size() > kArgumentsMax) {
    world->add_finding("unsupported", running() ? current_process().rank : 0,
                       concat("an OpenMP region uses ", arguments.size(),
                              " variables of the code around it, more than ", kArgumentsMax));
    world->end_run("fault", 2);
  }
  int size = size_of_next(thread);
  if (running()) world->settle_host_work();
  Member outer = std::move(thread.member);
  auto team = std::make_shared<Team>();
  team->size = size;
  team->parent = &outer;
  team->level = outer.team->level + 1;
  team->active_level = outer.team->active_level + (size > 1 ? 1 : 0);
  team->region = region;
  team->arguments = std::move(arguments);
  team->threads = {running() ? world->current_host : nullptr};
  for (int i = 1; i < size; i++) {
    Worker& worker = *thread.workers[outer.team->active_level][static_cast<size_t>(i) - 1];
    worker.regions.push_back(member_of(team, i, outer.threads_wanted));
    races().host_release(&worker);
    wake_if_parked(worker);
    team->threads.push_back(worker.thread);
  }
  thread.member = member_of(team, 0, outer.threads_wanted);
  run_share(team);
  for (size_t i = 1; i < team->threads.size(); i++) team->threads[i]->is_spare = true;
  self().member = std::move(outer);
}

void meet(const std::string& what) {
  std::shared_ptr<Team> team = self().member.team;
  if (running()) world->settle_host_work();
  // Places in turn, so that a thread which is at the next barrier already tells those that leave this one nothing.
  uint64_t mine = team->barriers;
  const void* place = mine % 2 == 0 ? static_cast<const void*>(&team->arrived) : &team->barriers;
  races().host_release(place);
  team->arrived++;
  while (team->barriers == mine) {
    if (!team->tasks.empty()) {
      TaskPtr task = team->tasks.front();
      team->tasks.pop_front();
      execute(task);
    } else if (team->arrived == team->size && team->open_tasks == 0) {
      team->barriers++;
      team->arrived = 0;
      wake_at(team.get(), SIZE_MAX);
    } else {
      wait_at(team.get(), what);
    }
  }
  races().host_acquire(place);
}

void lock(int* word, const char* what) {
  if (running()) world->settle_host_work();
  while (*word != 0 && running()) wait_at(word, what);
  *word = 1;
  if (running()) races().host_acquire(word);
}
bool try_lock(int* word) {
  if (*word != 0) return false;
  lock(word, "");
  return true;
}
void unlock(int* word) {
  if (running()) races().host_release(word);
  *word = 0;
  if (running()) wake_at(word, 1);
}

void execute(const TaskPtr& task) {
  std::shared_ptr<Team> team = self().member.team;
  races().host_acquire(task.get());
  TaskPtr outer = std::exchange(self().member.task, task);
  task->frame->entry(*self().number, task->frame);
  wait_for_children();
  self().member.task = outer;
  if (running()) current_process().heap.free(task->frame);
  races().host_release(task->parent.get());
  task->parent->children--;
  if (std::exchange(task->is_queued, false)) team->open_tasks--;
  wake_at(team.get(), SIZE_MAX);
}

void wait_for_children() {
  std::shared_ptr<Team> team = self().member.team;
  TaskPtr mine = self().member.task;
  while (mine->children > 0) {
    auto child = std::ranges::find(team->tasks, mine, &Task::parent);
    if (child == team->tasks.end()) {
      wait_at(team.get(), "OpenMP tasks to end");
      continue;
    }
    TaskPtr task = *child;
    team->tasks.erase(child);
    execute(task);
  }
  races().host_acquire(mine.get());
}

void queue(const TaskPtr& task) {
  Team& team = *self().member.team;
  races().host_release(task.get());
  if (team.size == 1) return execute(task);
  task->is_queued = true;
  team.open_tasks++;
  team.tasks.push_back(task);
  wake_at(&team, SIZE_MAX);
}

}  // namespace cuco::vcluster::openmp
