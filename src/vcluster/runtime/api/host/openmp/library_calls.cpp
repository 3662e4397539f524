// OpenMP's functions, as programs call them by name.
#include <omp.h>

#include <algorithm>

#include "vcluster/runtime/api/host/openmp/teams.h"
#include "vcluster/runtime/api/host/waiting.h"

using namespace cuco::vcluster;
using namespace cuco::vcluster::openmp;

namespace {

constexpr int kThreadsMax = 4096;

// The thread as it was in the region of that level; null: there is no such level.
const Member* member_at(int level) {
  const Member* member = &self().member;
  if (level < 0 || level > member->team->level) return nullptr;
  while (member->team->level > level) member = member->team->parent;
  return member;
}

int* word_of(omp_lock_t* lock) { return &lock->held; }

}  // namespace

extern "C" {

int omp_get_thread_num() { return self().member.number; }
int omp_get_num_threads() { return self().member.team->size; }
int omp_get_max_threads() { return thread_count_max(self()); }
int omp_get_num_procs() { return running() ? static_cast<int>(current_process().devices.size()) : 1; }
void omp_set_num_threads(int count) { self().member.threads_wanted = std::max(count, 1); }
int omp_in_parallel() { return self().member.team->active_level > 0 ? 1 : 0; }
int omp_get_thread_limit() { return kThreadsMax; }

int omp_get_level() { return self().member.team->level; }
int omp_get_active_level() { return self().member.team->active_level; }
int omp_get_ancestor_thread_num(int level) {
  const Member* member = member_at(level);
  return member ? member->number : -1;
}
int omp_get_team_size(int level) {
  const Member* member = member_at(level);
  return member ? member->team->size : -1;
}
void omp_set_max_active_levels(int levels) { settings().levels_max = std::max(levels, 0); }
int omp_get_max_active_levels() { return settings().levels_max; }
void omp_set_nested(int on) { settings().levels_max = on ? kThreadsMax : 1; }
int omp_get_nested() { return settings().levels_max > 1 ? 1 : 0; }
void omp_set_dynamic(int) {}
int omp_get_dynamic() { return 0; }

void omp_set_schedule(omp_sched_t kind, int chunk) {
  auto plain = static_cast<omp_sched_t>(kind & ~omp_sched_monotonic);
  settings().schedule = plain == omp_sched_dynamic  ? Schedule::Dynamic
                        : plain == omp_sched_guided ? Schedule::Guided
                        : chunk > 0                 ? Schedule::StaticChunks
                                                    : Schedule::Static;
  settings().chunk = static_cast<uint64_t>(std::max(chunk, 1));
}
void omp_get_schedule(omp_sched_t* kind, int* chunk) {
  Schedule schedule = settings().schedule;
  *kind = schedule == Schedule::Dynamic  ? omp_sched_dynamic
          : schedule == Schedule::Guided ? omp_sched_guided
                                         : omp_sched_static;
  *chunk = static_cast<int>(settings().chunk);
}

omp_proc_bind_t omp_get_proc_bind() { return omp_proc_bind_false; }
int omp_get_num_places() { return 0; }
int omp_get_cancellation() { return 0; }
int omp_get_num_teams() { return 1; }
int omp_get_team_num() { return 0; }
// Of devices that pragmas hand code to: the virtual GPUs are CUDA's alone.
int omp_get_num_devices() { return 0; }
int omp_get_initial_device() { return 0; }
int omp_get_default_device() { return 0; }
void omp_set_default_device(int) {}
int omp_is_initial_device() { return 1; }
int omp_in_final() { return 0; }
double omp_get_wtick() { return 1e-9; }

void omp_init_lock(omp_lock_t* made) { *made = {}; }
void omp_destroy_lock(omp_lock_t*) {}
void omp_set_lock(omp_lock_t* held) { lock(word_of(held), "an OpenMP lock"); }
void omp_unset_lock(omp_lock_t* held) { unlock(word_of(held)); }
int omp_test_lock(omp_lock_t* held) { return try_lock(word_of(held)) ? 1 : 0; }

void omp_init_nest_lock(omp_nest_lock_t* made) { *made = {}; }
void omp_destroy_nest_lock(omp_nest_lock_t*) {}
void omp_set_nest_lock(omp_nest_lock_t* held) {
  int owner = *self().number + 1;
  if (held->held == 0 || held->owner != owner) lock(&held->held, "an OpenMP lock");
  held->owner = owner;
  held->count++;
}
void omp_unset_nest_lock(omp_nest_lock_t* held) {
  if (--held->count > 0) return;
  held->owner = 0;
  unlock(&held->held);
}
int omp_test_nest_lock(omp_nest_lock_t* held) {
  if (held->held != 0 && held->owner != *self().number + 1) return 0;
  omp_set_nest_lock(held);
  return held->count;
}
}
