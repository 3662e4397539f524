// OpenMP's constructs on the host, as Clang compiles them: what threads share, in which parts, and who does what.
// ranks: 3
// expect: ok
// expect: threads 4 4 1
// expect: schedules 0
// expect: sections 7, last 49
// expect: singles 5, masters 5, masked 5
// expect: copied 42 42 42 42
// expect: ordered 0 1 2 3 4 5 6 7 8 9
// expect: tasks 55, loop 45 9, chain 3
// expect: kept 1 2 3
// expect: nested 1 2
// expect: locks 40 8
// expect: default 3 of 3
#include <cuda_runtime.h>
#include <omp.h>

#include <cstdio>
#include <vector>

static int kept = 0;
#pragma omp threadprivate(kept)

struct Sum {
  long value = 0;
};
#pragma omp declare reduction(added : Sum : omp_out.value += omp_in.value)

template <typename Integer>
static long checked(Integer first, Integer last, Integer step) {
  long wrong = 0;
  for (int threads = 1; threads <= 5; threads += 2) {
    std::vector<int> times(200, 0);
    long expected = 0, plain = 0, chunks = 0, dynamic = 0, guided = 0, at_run_time = 0;
    for (Integer i = first; i < last; i += step) expected += static_cast<long>(i) + 1;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for reduction(+ : plain)
      for (Integer i = first; i < last; i += step) plain += static_cast<long>(i) + 1;
#pragma omp for schedule(static, 3) reduction(+ : chunks)
      for (Integer i = first; i < last; i += step) chunks += static_cast<long>(i) + 1;
#pragma omp for schedule(dynamic, 2) nowait reduction(+ : dynamic)
      for (Integer i = first; i < last; i += step) dynamic += static_cast<long>(i) + 1;
#pragma omp for schedule(guided) nowait reduction(+ : guided)
      for (Integer i = first; i < last; i += step) guided += static_cast<long>(i) + 1;
#pragma omp for schedule(runtime) reduction(+ : at_run_time)
      for (Integer i = first; i < last; i += step) at_run_time += static_cast<long>(i) + 1;
    }
    for (long sum : {plain, chunks, dynamic, guided, at_run_time}) wrong += sum != expected;
  }
  return wrong;
}

int main() {
  int outside = omp_get_num_threads(), inside = 0, in_parallel = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp critical
    inside++;
#pragma omp master
    in_parallel = omp_in_parallel() ? omp_get_num_threads() : 0;
  }
  printf("threads %d %d %d\n", inside, in_parallel, outside);

  long wrong = checked<int>(0, 50, 1) + checked<long>(-20, 77, 7) + checked<unsigned>(3, 4, 1) + checked<size_t>(0, 0, 1);
#pragma omp parallel for collapse(2) reduction(+ : wrong) if (outside == 1)
  for (int i = 0; i < 3; i++)
    for (int j = 5; j > 0; j--) wrong += i * 5 + j > 15;
  printf("schedules %ld\n", wrong);

  int parts = 0, last = -1;
#pragma omp parallel num_threads(3)
  {
#pragma omp sections reduction(+ : parts)
    {
#pragma omp section
      parts += 1;
#pragma omp section
      parts += 2;
#pragma omp section
      parts += 4;
    }
#pragma omp for lastprivate(last)
    for (int i = 0; i < 8; i++) last = i * 7;
  }
  printf("sections %d, last %d\n", parts, last);

  int singles = 0, masters = 0, masked = 0;
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 5; i++) {
#pragma omp single nowait
    {
#pragma omp atomic
      singles++;
    }
#pragma omp master
    masters++;
#pragma omp masked filter(2)
    masked++;
#pragma omp barrier
  }
  printf("singles %d, masters %d, masked %d\n", singles, masters, masked);

  int copied[4];
#pragma omp parallel num_threads(4)
  {
    int value = omp_get_thread_num();
#pragma omp single copyprivate(value)
    value = 42;
    copied[omp_get_thread_num()] = value;
  }
  printf("copied %d %d %d %d\n", copied[0], copied[1], copied[2], copied[3]);

  printf("ordered");
#pragma omp parallel for ordered schedule(dynamic, 2) num_threads(3)
  for (int i = 0; i < 10; i++) {
#pragma omp ordered
    printf(" %d", i);
  }
  printf("\n");

  int tasks = 0, looped = 0, final_value = 0, chain = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    for (int i = 1; i <= 10; i++) {
#pragma omp task firstprivate(i) shared(tasks)
      {
        int half = 0;
#pragma omp task shared(half)
        half = i;
#pragma omp taskwait
#pragma omp atomic
        tasks += half;
      }
    }
#pragma omp taskgroup
    {
#pragma omp taskloop shared(looped) lastprivate(final_value)
      for (int i = 0; i < 10; i++) {
#pragma omp atomic
        looped += i;
        final_value = i;
      }
    }
#pragma omp task depend(out : chain)
    chain = 1;
#pragma omp task depend(inout : chain) if (tasks < 0)
    chain *= 3;
  }
  printf("tasks %d, loop %d %d, chain %d\n", tasks, looped, final_value, chain);

#pragma omp parallel num_threads(4)
  kept = omp_get_thread_num();
  int found[4];
#pragma omp parallel num_threads(4)
  found[omp_get_thread_num()] = kept;
  printf("kept %d %d %d\n", found[1], found[2], found[3]);

  int sizes[2];
  for (int levels = 1; levels <= 2; levels++) {
    omp_set_max_active_levels(levels);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp critical(sizes)
    sizes[levels - 1] = omp_get_num_threads() + omp_get_level() - 2;
  }
  printf("nested %d %d\n", sizes[0], sizes[1]);

  omp_lock_t lock;
  omp_nest_lock_t nested;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nested);
  int counted = 0, twice = 0;
#pragma omp parallel num_threads(4)
  {
    for (int i = 0; i < 10; i++) {
      omp_set_lock(&lock);
      counted++;
      omp_unset_lock(&lock);
    }
    omp_set_nest_lock(&nested);
    omp_set_nest_lock(&nested);
    twice += 2;
    omp_unset_nest_lock(&nested);
    omp_unset_nest_lock(&nested);
  }
  printf("locks %d %d\n", counted, twice);

  Sum total;
  int sets[3] = {};
#pragma omp parallel reduction(added : total) reduction(+ : sets[:3])
  {
    total.value++;
    sets[omp_get_thread_num()] = 1;
  }
  printf("default %ld of %d\n", total.value, sets[0] + sets[1] + sets[2]);
  return 0;
}
