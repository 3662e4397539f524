// Labels are followed to their root; every chain has one.
// ranks: 2
// expect: no findings
#include "../threads.h"

constexpr int kNodes = 96;

__device__ int root_of(const int* parents, int node) {
  while (parents[node] != node) {
    node = parents[node];
  }
  return node;
}

__global__ void label(const int* parents, int* labels) {
  int node = threadIdx.x;
  labels[node] = root_of(parents, node);
}

int components(const Member& self) {
  std::vector<int> parents(kNodes);
  for (int node = 0; node < kNodes; node++) parents[node] = node < 8 ? node : node - 8;
  int *device_parents, *labels;
  CHECK(cudaMalloc(&device_parents, kNodes * sizeof(int)));
  CHECK(cudaMalloc(&labels, kNodes * sizeof(int)));
  CHECK(cudaMemcpy(device_parents, parents.data(), kNodes * sizeof(int), cudaMemcpyHostToDevice));
  label<<<1, kNodes>>>(device_parents, labels);
  CHECK(ncclAllReduce(labels, labels, kNodes, ncclInt, ncclMax, self.comm, nullptr));
  std::vector<int> got(kNodes);
  CHECK(cudaMemcpy(got.data(), labels, kNodes * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int node = 0; node < kNodes; node++) wrong += got[node] != node % 8;
  CHECK(cudaFree(labels));
  CHECK(cudaFree(device_parents));
  return wrong;
}

int main() { return run_as_threads(2, components); }
