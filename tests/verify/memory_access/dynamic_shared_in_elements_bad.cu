// The launch asks for a number of elements of shared memory where bytes are wanted.
// ranks: 1
// expect-finding: memory_access
#include <cstdio>
#include <vector>

constexpr int kThreads = 64;

__global__ void sort_pairs(const int* keys, const double* weights, double* out) {
  extern __shared__ double space[];
  double* sorted = space;
  int* copies = reinterpret_cast<int*>(sorted + blockDim.x);
  copies[threadIdx.x] = keys[threadIdx.x];  // FAULT
  __syncthreads();
  int place = 0;
  for (int i = 0; i < blockDim.x; i++) place += copies[i] < copies[threadIdx.x];  // FAULT
  sorted[place] = weights[threadIdx.x];                                           // FAULT
  __syncthreads();
  out[threadIdx.x] = sorted[threadIdx.x];  // FAULT
}

int main() {
  std::vector<int> host_keys(kThreads);
  std::vector<double> host_weights(kThreads), got(kThreads);
  for (int i = 0; i < kThreads; i++) {
    host_keys[i] = i * 5 % kThreads;
    host_weights[i] = host_keys[i] + 0.5;
  }
  int* keys;
  double *weights, *out;
  cudaMalloc(&keys, kThreads * sizeof(int));
  cudaMalloc(&weights, kThreads * sizeof(double));
  cudaMalloc(&out, kThreads * sizeof(double));
  cudaMemcpy(keys, host_keys.data(), kThreads * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(weights, host_weights.data(), kThreads * sizeof(double), cudaMemcpyHostToDevice);
  sort_pairs<<<1, kThreads, 2 * kThreads>>>(keys, weights, out);  // FAULT
  cudaMemcpy(got.data(), out, kThreads * sizeof(double), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < kThreads; i++) wrong += got[i] != i + 0.5;
  std::printf("%d wrong\n", wrong);
  cudaFree(out);
  cudaFree(weights);
  cudaFree(keys);
  return wrong != 0;
}
