// stranger: the timed part is marked by NVTX ranges: a scoped class of nvtx3's C API around each phase, and the profiler is switched on
// ranks: 2
// arguments: 128
// expect-output: loss curve falls
// convert: lsa gin
// share: all
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

class ScopedRange {
 public:
  ScopedRange(const char* name, std::uint32_t color) {
    nvtxEventAttributes_t attributes = {};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.colorType = NVTX_COLOR_ARGB;
    attributes.color = color;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    nvtxRangePushEx(&attributes);
  }
  ~ScopedRange() { nvtxRangePop(); }
};

#define CUDA_CHECK(x) if ((x) != cudaSuccess) { std::fprintf(stderr, "CUDA: line %d\n", __LINE__); std::exit(1); }
#define NCCL_CHECK(x) if ((x) != ncclSuccess) { std::fprintf(stderr, "NCCL: line %d\n", __LINE__); std::exit(1); }

__global__ void zero(float* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 0.0f;
}

__global__ void forward_backward(const float* w, float* grad, float* loss, int n, float target) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float diff = w[i] - target;
  grad[i] = 2.0f * diff;
  atomicAdd(loss, diff * diff);
}

__global__ void apply(float* w, const float* grad, int n, float rate) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) w[i] -= rate * grad[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20, blocks = (n + 63) / 64, steps = 4;
  CUDA_CHECK(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) NCCL_CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  NCCL_CHECK(ncclCommInitRank(&comm, size, id, rank));
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  float *w, *grad, *loss;
  CUDA_CHECK(cudaMalloc(&w, n * sizeof(float)));
  // The loss lies behind the gradient: one reduction takes both.
  CUDA_CHECK(cudaMalloc(&grad, (n + 1) * sizeof(float)));
  loss = grad + n;
  zero<<<blocks, 64, 0, stream>>>(w, n);
  CUDA_CHECK(cudaStreamSynchronize(stream));

  std::vector<float> curve(steps);
  cudaProfilerStart();
  nvtxRangePushA("training");
  for (int step = 0; step < steps; ++step) {
    {
      ScopedRange range("compute", 0xff00ff00);
      CUDA_CHECK(cudaMemsetAsync(loss, 0, sizeof(float), stream));
      forward_backward<<<blocks, 64, 0, stream>>>(w, grad, loss, n, 1.0f + rank);
    }
    {
      ScopedRange range("allreduce", 0xffff0000);
      NCCL_CHECK(ncclAllReduce(grad, grad, n + 1, ncclFloat, ncclSum, comm, stream));
    }
    {
      ScopedRange range("update", 0xff0000ff);
      apply<<<blocks, 64, 0, stream>>>(w, grad, n, 0.2f / size);
      CUDA_CHECK(cudaMemcpyAsync(&curve[step], loss, sizeof(float), cudaMemcpyDeviceToHost, stream));
    }
    nvtxMarkA("step done");
  }
  CUDA_CHECK(cudaStreamSynchronize(stream));
  nvtxRangePop();
  cudaProfilerStop();

  bool falls = true;
  for (int step = 1; step < steps; ++step) falls &= curve[step] < curve[step - 1];
  if (rank == 0) std::printf("loss curve %s\n", falls ? "falls" : "DOES NOT FALL");
  CUDA_CHECK(cudaFree(w));
  CUDA_CHECK(cudaFree(grad));
  CUDA_CHECK(cudaStreamDestroy(stream));
  NCCL_CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return falls ? 0 : 1;
}
