// The host code of the program is plain C++ in a file of its own; this one has the kernel.
// ranks: 1
// with: host_code_in_cpp.cpp
// expect: ok
// expect: sum 2016
#include <cstdio>

__global__ void add(const int* values, int count, int* sum) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) atomicAdd(sum, values[i]);
}

void launch_add(const int* values, int count, int* sum, cudaStream_t stream) {
  add<<<1, 32, 0, stream>>>(values, count, sum);
}
