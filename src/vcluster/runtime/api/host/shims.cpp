// The parts of the C library that a program must not get from the real machine: threads and locks become fibers, clocks
// become virtual, exit ends a rank and not the run. The dynamic linker finds these before the C library's own, also for
// calls from libstdc++.
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>
#include <memory>
#include <optional>

#include "base/text.h"
#include "vcluster/runtime/api/host/exit_functions.h"
#include "vcluster/runtime/api/host/waiting.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/engine/handles.h"
#include "vcluster/runtime/engine/world.h"

using namespace cuco::vcluster;

namespace {

constexpr time_t kEpochSeconds = 1'700'000'000;  // What the real-time clock shows when a run begins.

enum class TimedWait { Waiting, Woken, TimedOut };

// A wait that also ends at a time. True when it was woken before.
bool wait_at_until(const void* address, const char* what, Time deadline) {
  HostThread* self = world->current_host;
  // Shared, because the timer may fire after this frame is gone.
  auto state = std::make_shared<TimedWait>(TimedWait::Waiting);
  host_waiters()[address].push_back(self);
  world->events.at(std::max(deadline, world->now()), [self, address, state] {
    if (*state != TimedWait::Waiting || std::erase(host_waiters()[address], self) == 0) return;
    *state = TimedWait::TimedOut;
    world->wake(*self, world->now());
  });
  world->wait(what);
  if (*state == TimedWait::TimedOut) return false;
  *state = TimedWait::Woken;
  return true;
}

Time from_timespec(const timespec* at) { return at->tv_sec * kSecond + at->tv_nsec * kNanosecond; }

Time virtual_time_of(const timespec* absolute, bool realtime) {
  timespec relative = *absolute;
  if (realtime) relative.tv_sec -= kEpochSeconds;
  return from_timespec(&relative);
}

void fill_clock(timespec* out, bool realtime) {
  Time now = world ? world->now() : 0;
  out->tv_sec = now / kSecond + (realtime ? kEpochSeconds : 0);
  out->tv_nsec = now % kSecond / kNanosecond;
}

HostThread* thread_of(pthread_t handle) { return Handles<HostThread>::find(reinterpret_cast<const void*>(handle)); }

}  // namespace

extern "C" {

void exit(int code) {
  if (running()) {
    run_exit_functions();
    world->end_process(code);
  }
  _exit(code);
}
void quick_exit(int code) {
  if (running()) world->end_process(code);
  _exit(code);
}

int pthread_create(pthread_t* thread, const pthread_attr_t*, void* (*entry)(void*), void* argument) {
  if (world->host_stacks.is_exhausted()) return EAGAIN;
  HostThread* made = world->start_thread(current_process(), entry, argument);
  made->device = 0;
  races().host_starts(made);
  *thread = made->handle;
  return 0;
}
int pthread_join(pthread_t handle, void** result) {
  HostThread* thread = thread_of(handle);
  if (!thread) return ESRCH;
  if (!thread->ended) {
    thread->joiners.push_back(world->current_host);
    world->wait(cuco::concat("host thread ", thread->number, " to end"));
  }
  races().host_joins(thread);
  if (result) *result = thread->result;
  return 0;
}
int pthread_detach(pthread_t) { return 0; }
pthread_t pthread_self() { return running() ? world->current_host->handle : 1; }
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }
void pthread_exit(void* result) { world->end_thread(result); }
int sched_yield() {
  if (running()) world->pass_time(kMicrosecond);
  return 0;
}

// The lock's own words hold the count and the owner, as the C library lays them out for a program that peeks.
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  auto owner = static_cast<int>(running() ? world->current_host->number + 1 : 1);
  bool recursive = (mutex->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE;
  if (recursive && mutex->__data.__lock > 0 && mutex->__data.__owner == owner) {
    mutex->__data.__lock++;
    return 0;
  }
  while (mutex->__data.__lock != 0 && running()) wait_at(mutex, "a mutex");
  mutex->__data.__lock = 1;
  mutex->__data.__owner = owner;
  if (running()) races().host_acquire(mutex);
  return 0;
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  if (mutex->__data.__lock != 0) return EBUSY;
  return pthread_mutex_lock(mutex);
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  if (--mutex->__data.__lock > 0) return 0;
  if (running()) races().host_release(mutex);
  mutex->__data.__lock = 0;
  if (running()) wake_at(mutex, 1);
  return 0;
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  pthread_mutex_unlock(mutex);
  wait_at(condition, "a condition variable");
  return pthread_mutex_lock(mutex);
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  pthread_mutex_unlock(mutex);
  bool woken = wait_at_until(condition, "a condition variable", virtual_time_of(until, clock == CLOCK_REALTIME));
  pthread_mutex_lock(mutex);
  return woken ? 0 : ETIMEDOUT;
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  return pthread_cond_clockwait(condition, mutex, CLOCK_REALTIME, until);
}
int pthread_cond_signal(pthread_cond_t* condition) {
  wake_at(condition, 1);
  return 0;
}
int pthread_cond_broadcast(pthread_cond_t* condition) {
  wake_at(condition, SIZE_MAX);
  return 0;
}
int pthread_once(pthread_once_t* once, void (*routine)()) {
  while (*once == 1 && running()) wait_at(once, "a call_once");
  if (running()) races().host_acquire(once);
  if (*once == 2) return 0;
  *once = 1;
  routine();
  *once = 2;
  if (!running()) return 0;
  races().host_release(once);
  wake_at(once, SIZE_MAX);
  return 0;
}

struct BarrierWords {
  unsigned count, arrived;
};
int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t*, unsigned count) {
  BarrierWords words = {count, 0};
  std::memcpy(barrier, &words, sizeof words);
  return 0;
}
int pthread_barrier_destroy(pthread_barrier_t*) { return 0; }
int pthread_barrier_wait(pthread_barrier_t* barrier) {
  auto* words = reinterpret_cast<BarrierWords*>(barrier);
  races().host_release(barrier);
  if (++words->arrived < words->count) {
    wait_at(barrier, "a pthread barrier");
    races().host_acquire(barrier);
    return 0;
  }
  races().host_acquire(barrier);
  words->arrived = 0;
  wake_at(barrier, SIZE_MAX);
  return PTHREAD_BARRIER_SERIAL_THREAD;
}

// std::atomic::wait and std::future end here.
long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long argument[6];
  for (long& value : argument) value = va_arg(list, long);
  va_end(list);
  using Real = long (*)(long, ...);
  static auto real = reinterpret_cast<Real>(dlsym(RTLD_NEXT, "syscall"));
  if (number != SYS_futex || !running())
    return real(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
  auto* word = reinterpret_cast<int*>(argument[0]);
  int operation = static_cast<int>(argument[1]) & 0x7f;
  if (operation == 1 || operation == 10) {
    races().host_release(word);
    return static_cast<long>(wake_at(word, static_cast<size_t>(argument[2])));
  }
  if (*word != static_cast<int>(argument[2])) {
    errno = EAGAIN;
    return -1;
  }
  wait_at(word, "an atomic value to change");
  races().host_acquire(word);
  return 0;
}

int clock_gettime(clockid_t clock, timespec* out) {
  if (running()) world->settle_host_work();
  fill_clock(out, clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE);
  // Reading a clock takes time, so that loops over it end.
  if (running()) world->pass_time(25 * kNanosecond);
  return 0;
}
int gettimeofday(timeval* out, void*) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *out = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}
time_t time(time_t* out) {
  timespec now;
  fill_clock(&now, true);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
double omp_get_wtime() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
clock_t clock() { return static_cast<clock_t>(world ? world->now() / kMicrosecond : 0); }
int nanosleep(const timespec* amount, timespec*) {
  if (running()) world->pass_time(from_timespec(amount));
  return 0;
}
int clock_nanosleep(clockid_t clock, int flags, const timespec* amount, timespec*) {
  Time target =
      flags & TIMER_ABSTIME ? virtual_time_of(amount, clock == CLOCK_REALTIME) : world->now() + from_timespec(amount);
  if (running() && target > world->now()) world->pass_time(target - world->now());
  return 0;
}
int usleep(useconds_t us) {
  if (running()) world->pass_time(us * kMicrosecond);
  return 0;
}
unsigned sleep(unsigned seconds) {
  if (running()) world->pass_time(seconds * kSecond);
  return 0;
}

int gethostname(char* name, size_t bytes) {
  std::string host = cuco::concat("node", running() ? current_process().node : 0);
  std::strncpy(name, host.c_str(), bytes);
  return 0;
}
pid_t getpid() { return running() ? 1000 + current_process().rank : 1; }
}
