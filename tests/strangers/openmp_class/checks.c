#include <omp.h>
#include <stdio.h>

#include "checks.h"

long sum_of(int n, const int* v) {
  long sum = 0;
  int i, used = 0;
#pragma omp parallel private(i) reduction(+ : sum)
  {
#pragma omp for schedule(guided)
    for (i = 0; i < n; i++) sum += v[i];
#pragma omp atomic
    used++;
  }
  if (used > omp_get_max_threads()) printf("more threads than there may be\n");
  return sum;
}
