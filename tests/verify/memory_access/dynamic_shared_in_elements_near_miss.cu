// The launch asks for the bytes of both arrays that share the dynamic shared memory.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <vector>

constexpr int kThreads = 64;

__global__ void sort_pairs(const int* keys, const double* weights, double* out) {
  extern __shared__ double space[];
  double* sorted = space;
  int* copies = reinterpret_cast<int*>(sorted + blockDim.x);
  copies[threadIdx.x] = keys[threadIdx.x];
  __syncthreads();
  int place = 0;
  for (int i = 0; i < blockDim.x; i++) place += copies[i] < copies[threadIdx.x];
  sorted[place] = weights[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = sorted[threadIdx.x];
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
  sort_pairs<<<1, kThreads, kThreads*(sizeof(double) + sizeof(int))>>>(keys, weights, out);
  cudaMemcpy(got.data(), out, kThreads * sizeof(double), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < kThreads; i++) wrong += got[i] != i + 0.5;
  std::printf("%d wrong\n", wrong);
  cudaFree(out);
  cudaFree(weights);
  cudaFree(keys);
  return wrong != 0;
}
