// The grid is sized by an occupancy query with the dynamic shared memory of the launch: exactly full, and no more.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <vector>

constexpr int kThreads = 64;
constexpr int kCount = 20000;

__global__ void normalise(float* values, float* total, unsigned* arrived) {
  extern __shared__ float partial[];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCount; i += gridDim.x * blockDim.x) sum += values[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < kThreads; i++) sum += partial[i];
    atomicAdd(total, sum);
    __threadfence();
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < gridDim.x) {
    }
    __threadfence();
    partial[0] = atomicAdd(total, 0.0f);
  }
  __syncthreads();
  float scale = 1.0f / partial[0];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCount; i += gridDim.x * blockDim.x) values[i] *= scale;
}

class Normaliser {
 public:
  explicit Normaliser(size_t shared_bytes) : shared_bytes_(shared_bytes) {
    cudaFuncSetAttribute(normalise, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
    cudaMalloc(&total_, sizeof(float));
    cudaMalloc(&arrived_, sizeof(unsigned));
  }
  ~Normaliser() {
    cudaFree(arrived_);
    cudaFree(total_);
  }
  Normaliser(const Normaliser&) = delete;

  void operator()(float* values) {
    cudaMemset(total_, 0, sizeof(float));
    cudaMemset(arrived_, 0, sizeof(unsigned));
    normalise<<<grid(), kThreads, shared_bytes_>>>(values, total_, arrived_);
  }

 private:
  int grid() const {
    int multiprocessors = 0, resident = 0;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, normalise, kThreads, shared_bytes_);
    return multiprocessors * resident;
  }

  size_t shared_bytes_;
  float* total_;
  unsigned* arrived_;
};

int main() {
  float* values;
  cudaMalloc(&values, kCount * sizeof(float));
  std::vector<float> host(kCount, 2.0f);
  cudaMemcpy(values, host.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
  Normaliser normaliser(60 * 1024);
  normaliser(values);
  cudaMemcpy(host.data(), values, kCount * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (float value : host) wrong += value != 2.0f * (1.0f / (2.0f * kCount));
  std::printf("%d wrong\n", wrong);
  cudaFree(values);
  return wrong != 0;
}
