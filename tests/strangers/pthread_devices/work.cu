#include "work.h"

__global__ void number(int *out, int count, int rank)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = rank * 1000 + i;
}

__global__ void twice(int *values, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        values[i] += values[i];
}

void launch_number(int *out, int count, int rank, cudaStream_t stream)
{
    number<<<(count + 127) / 128, 128, 0, stream>>>(out, count, rank);
}

void launch_double(int *values, int count, cudaStream_t stream)
{
    twice<<<8, 128, 0, stream>>>(values, count);
}
