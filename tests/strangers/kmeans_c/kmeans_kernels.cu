#include "kmeans.h"

#define THREADS 64

static __device__ float distance2(const float *a, const float *b, int d)
{
    float s = 0.0f;
    for (int j = 0; j < d; j++)
        s += (a[j] - b[j]) * (a[j] - b[j]);
    return s;
}

static __global__ void assign_kernel(const float *points, const float *centers, float *sums, int n, int k, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int best = 0;
    float least = distance2(points + i * d, centers, d);
    for (int c = 1; c < k; c++) {
        float far = distance2(points + i * d, centers + c * d, d);
        if (far < least) {
            least = far;
            best = c;
        }
    }
    for (int j = 0; j < d; j++)
        atomicAdd(&sums[best * d + j], points[i * d + j]);
    atomicAdd(&sums[k * d + best], 1.0f);
}

static __global__ void update_kernel(float *centers, const float *sums, int k, int d)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < k * d && sums[k * d + i / d] > 0.0f)
        centers[i] = sums[i] / sums[k * d + i / d];
}

extern "C" void kmeans_assign(const kmeans_problem_t *p, const float *points, const float *centers, float *sums, cudaStream_t stream)
{
    assign_kernel<<<(p->points + THREADS - 1) / THREADS, THREADS, 0, stream>>>(points, centers, sums, p->points, p->clusters, p->dims);
}

extern "C" void kmeans_update(const kmeans_problem_t *p, float *centers, const float *sums, cudaStream_t stream)
{
    update_kernel<<<(p->clusters * p->dims + THREADS - 1) / THREADS, THREADS, 0, stream>>>(centers, sums, p->clusters, p->dims);
}
