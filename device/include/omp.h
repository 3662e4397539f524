// OpenMP's calls, so that a program which makes them is told which of them a run lacks: loops marked parallel run in one
// thread, and nothing else of OpenMP does.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_num_procs(void);
void omp_set_num_threads(int num_threads);
int omp_in_parallel(void);
double omp_get_wtime(void);
#ifdef __cplusplus
}
#endif
