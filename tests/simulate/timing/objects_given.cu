// Kernels that are given objects: what a thread does to its own is not seen by others, and whether a kernel may do so
// changes nothing for those that may not. Prints "right" when every element is what it has to be.
#include <cstdio>

struct Given {
  int first[16];
  int add;
};

__device__ __noinline__ int last_of(const Given& given) { return given.first[15]; }
__device__ __noinline__ void raise(Given& given) { given.add += threadIdx.x; }

__global__ void keep(const Given given, int* to) {
  __syncthreads();
  to[threadIdx.x] = last_of(given) + given.add;
}
__global__ void change(Given given, int* to) {
  raise(given);
  __syncthreads();
  to[threadIdx.x] = last_of(given) + given.add;
}
// Launched by their arguments.
template <typename T>
__global__ void keep_any(const T given, int* to) {
  __syncthreads();
  to[threadIdx.x] = last_of(given) + given.add;
}
template <typename T>
__global__ void change_any(T given, int* to) {
  raise(given);
  __syncthreads();
  to[threadIdx.x] = last_of(given) + given.add;
}

bool is_right(int* device, int by_thread) {
  int host[64];
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  bool right = true;
  for (int i = 0; i < 64; i++) right = right && host[i] == 7 + 1000 + by_thread * i;
  return right;
}

int main() {
  Given given = {};
  given.first[15] = 7, given.add = 1000;
  int* device;
  cudaMalloc(&device, 64 * sizeof(int));
  bool right = true;
  keep<<<1, 64>>>(given, device);
  right = right && is_right(device, 0);
  change<<<1, 64>>>(given, device);
  right = right && is_right(device, 1);
  keep_any<<<1, 64>>>(given, device);
  right = right && is_right(device, 0);
  change_any<<<1, 64>>>(given, device);
  right = right && is_right(device, 1);
  void* arguments[] = {&given, &device};
  cudaLaunchKernel((const void*)keep, dim3(1), dim3(64), arguments, 0, 0);
  right = right && is_right(device, 0);
  cudaLaunchKernel((const void*)change, dim3(1), dim3(64), arguments, 0, 0);
  right = right && is_right(device, 1);
  cudaFree(device);
  std::puts(right ? "right" : "wrong");
}
