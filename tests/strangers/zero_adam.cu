// stranger: ZeRO: gradients are reduce-scattered, each rank runs Adam on its shard, parameters are gathered again. Sizes are constants
// flags: -D SMALL
// ranks: 4
// expect-output: parameters match the unsharded optimizer
// convert: lsa
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef SMALL
constexpr size_t kParameters = 1000;
constexpr int kSteps = 3;
#else
constexpr size_t kParameters = 124'000'000;
constexpr int kSteps = 20;
#endif

struct AdamConfig {
  float lr = 1e-2f, beta1 = 0.9f, beta2 = 0.99f, eps = 1e-8f;
};

#define cudaCheck(x) cuda_check((x), __FILE__, __LINE__)
#define ncclCheck(x) nccl_check((x), __FILE__, __LINE__)
inline void cuda_check(cudaError_t e, const char* f, int l) { if (e != cudaSuccess) { printf("%s:%d %s\n", f, l, cudaGetErrorString(e)); exit(1); } }
inline void nccl_check(ncclResult_t e, const char* f, int l) { if (e != ncclSuccess) { printf("%s:%d %s\n", f, l, ncclGetErrorString(e)); exit(1); } }

__global__ void init_kernel(float* p, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) p[i] = 0.01f * (float)(i % 97) + 0.005f;  // Never where the gradient is zero: Adam makes a whole step of its noise.
}

__global__ void grad_kernel(float* g, const float* p, size_t n, int rank) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) g[i] = p[i] - 0.1f * (rank + 1);
}

__global__ void adam_kernel(float* p, const float* g, float* m, float* v, size_t n, AdamConfig c, float scale, int t) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  float grad = scale * g[i];
  m[i] = c.beta1 * m[i] + (1.0f - c.beta1) * grad;
  v[i] = c.beta2 * v[i] + (1.0f - c.beta2) * grad * grad;
  float mh = m[i] / (1.0f - powf(c.beta1, t)), vh = v[i] / (1.0f - powf(c.beta2, t));
  p[i] -= c.lr * mh / (sqrtf(vh) + c.eps);
}

class ShardedAdam {
 public:
  ShardedAdam(size_t parameters, int rank, int ranks, ncclComm_t comm, cudaStream_t stream)
      : shard_((parameters + ranks - 1) / ranks), padded_(shard_ * ranks), rank_(rank), ranks_(ranks), comm_(comm), stream_(stream) {
    cudaCheck(cudaMalloc(&params, padded_ * sizeof(float)));
    cudaCheck(cudaMalloc(&grads, padded_ * sizeof(float)));
    cudaCheck(cudaMalloc(&shard_grad_, shard_ * sizeof(float)));
    cudaCheck(cudaMalloc(&m_, shard_ * sizeof(float)));
    cudaCheck(cudaMalloc(&v_, shard_ * sizeof(float)));
    cudaCheck(cudaMemsetAsync(grads, 0, padded_ * sizeof(float), stream));
    cudaCheck(cudaMemsetAsync(m_, 0, shard_ * sizeof(float), stream));
    cudaCheck(cudaMemsetAsync(v_, 0, shard_ * sizeof(float), stream));
    init_kernel<<<(padded_ + 127) / 128, 128, 0, stream>>>(params, padded_);
  }
  ~ShardedAdam() {
    for (float* p : {params, grads, shard_grad_, m_, v_}) cudaFree(p);
  }
  void step(int t) {
    float* mine = params + rank_ * shard_;
    ncclCheck(ncclReduceScatter(grads, shard_grad_, shard_, ncclFloat, ncclSum, comm_, stream_));
    adam_kernel<<<(shard_ + 127) / 128, 128, 0, stream_>>>(mine, shard_grad_, m_, v_, shard_, config, 1.0f / ranks_, t);
    ncclCheck(ncclAllGather(mine, params, shard_, ncclFloat, comm_, stream_));
  }
  float *params = nullptr, *grads = nullptr;
  AdamConfig config;

 private:
  size_t shard_, padded_;
  int rank_, ranks_;
  ncclComm_t comm_;
  cudaStream_t stream_;
  float *shard_grad_ = nullptr, *m_ = nullptr, *v_ = nullptr;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  cudaCheck(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) ncclCheck(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCheck(ncclCommInitRank(&comm, ranks, id, rank));
  cudaStream_t stream;
  cudaCheck(cudaStreamCreate(&stream));
  int all = 0;
  {
    ShardedAdam adam(kParameters, rank, ranks, comm, stream);
    cudaEvent_t start, stop;
    cudaCheck(cudaEventCreate(&start));
    cudaCheck(cudaEventCreate(&stop));
    cudaCheck(cudaEventRecord(start, stream));
    for (int t = 1; t <= kSteps; t++) {
      grad_kernel<<<(kParameters + 127) / 128, 128, 0, stream>>>(adam.grads, adam.params, kParameters, rank);
      adam.step(t);
    }
    cudaCheck(cudaEventRecord(stop, stream));
    cudaCheck(cudaEventSynchronize(stop));
    float ms;
    cudaCheck(cudaEventElapsedTime(&ms, start, stop));
    std::vector<float> host(kParameters);
    cudaCheck(cudaMemcpy(host.data(), adam.params, kParameters * sizeof(float), cudaMemcpyDeviceToHost));
    int good = 1;
    for (size_t i = 0; i < kParameters; i += 1 + kParameters / 5000) {
      double p = 0.01 * (i % 97) + 0.005, m = 0, v = 0;
      for (int t = 1; t <= kSteps; t++) {
        double g = p - 0.1 * (ranks + 1) / 2;
        m = 0.9 * m + 0.1 * g;
        v = 0.99 * v + 0.01 * g * g;
        p -= 1e-2 * m / (1 - pow(0.9, t)) / (sqrt(v / (1 - pow(0.99, t))) + 1e-8);
      }
      good &= fabs(p - host[i]) < 1e-3;
    }
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0) printf("%.3f ms a step, parameters %s the unsharded optimizer\n", ms / kSteps, all ? "match" : "DIFFER FROM");
    cudaCheck(cudaEventDestroy(start));
    cudaCheck(cudaEventDestroy(stop));
  }
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return all ? 0 : 1;
}
