// Growing the buffer frees the smaller one first; cudaFree waits for the kernel that still uses it.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <vector>

__global__ void fill(int* values, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) values[i] = count - i;
}

class Workspace {
 public:
  ~Workspace() { cudaFree(data_); }
  int* reserve(int count) {
    if (count <= capacity_) return data_;
    capacity_ = count;
    cudaFree(data_);
    cudaMalloc(&data_, count * sizeof(int));
    return data_;
  }

 private:
  int* data_ = nullptr;
  int capacity_ = 0;
};

int main() {
  Workspace workspace;
  int wrong = 0;
  for (int count : {100, 50, 400, 900}) fill<<<1, 128>>>(workspace.reserve(count), count);
  std::vector<int> host(900);
  cudaMemcpy(host.data(), workspace.reserve(900), host.size() * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 900; i++) wrong += host[i] != 900 - i;
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
