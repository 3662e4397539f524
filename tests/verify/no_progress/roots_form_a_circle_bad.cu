// Labels are followed to their root, but two of them point at each other and the walk has no end.
// ranks: 2
// expect-finding: no_progress
#include "../threads.h"

constexpr int kNodes = 96;

__device__ int root_of(const int* parents, int node) {
  while (parents[node] != node) {  // FAULT
    node = parents[node];          // FAULT
  }
  return node;
}

__global__ void label(const int* parents, int* labels) {
  int node = threadIdx.x;
  labels[node] = root_of(parents, node);  // FAULT
}

int components(const Member& self) {
  std::vector<int> parents(kNodes);
  for (int node = 0; node < kNodes; node++) parents[node] = node < 8 ? node : node - 8;
  if (self.rank == 1) parents[3] = 11;  // FAULT
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
