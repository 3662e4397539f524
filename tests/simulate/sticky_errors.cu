// An illegal access breaks its device: every later call there returns the error, other devices go on.
// ranks: 3
// expect: illegal access: 700 700 700 700 700 700
// expect: failed assertion: 710 710 710 710 710 710
// expect: works: 0 0 0 0 0 0
// expect: an illegal memory access was encountered
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void write(int* target, int value) {
  assert(value < 100);
  target[threadIdx.x] = value;
}

void use(int device, const char* what, int* target, int value) {
  cudaSetDevice(device);
  int* memory = target;
  if (!target) cudaMalloc(&memory, 64 * sizeof(int));
  write<<<2, 32>>>(memory, value);
  int first = cudaDeviceSynchronize();
  int second = cudaMemset(memory, 0, sizeof(int));
  int* more = nullptr;
  int third = cudaMalloc(&more, 16);
  write<<<1, 1>>>(memory, value);
  int fourth = cudaPeekAtLastError();
  int fifth = cudaGetLastError();
  int sixth = cudaStreamSynchronize(nullptr);
  std::printf("%s: %d %d %d %d %d %d\n", what, first, second, third, fourth, fifth, sixth);
  if (fourth != 0) std::printf("%s\n", cudaGetErrorString(static_cast<cudaError_t>(fourth)));
}

int main() {
  use(0, "illegal access", reinterpret_cast<int*>(64), 1);
  use(1, "failed assertion", nullptr, 100);
  use(2, "works", nullptr, 1);
}
