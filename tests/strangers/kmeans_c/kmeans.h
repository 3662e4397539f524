#ifndef KMEANS_H
#define KMEANS_H

#include <cuda_runtime_api.h>

typedef struct {
    int points; /* of this rank */
    int clusters;
    int dims;
} kmeans_problem_t;

#ifdef __cplusplus
extern "C" {
#endif

void kmeans_assign(const kmeans_problem_t *p, const float *points, const float *centers, float *sums, cudaStream_t stream);
void kmeans_update(const kmeans_problem_t *p, float *centers, const float *sums, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
