// One event serves all layers: each wait refers to the record before it, so re-recording it later does no harm.
// ranks: 2
// expect: no findings
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kLayers = 3;
constexpr int kCount = 512;

__global__ void backward(float* gradient, float scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  gradient[i] = scale * i;
}

class Trainer {
 public:
  Trainer(int rank, int ranks, ncclUniqueId id) : rank_(rank), ranks_(ranks) {
    ncclCommInitRank(&comm_, ranks, id, rank);
    cudaStreamCreateWithFlags(&compute_, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&exchange_, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&computed_, cudaEventDisableTiming);
    for (float*& gradient : gradients_) {
      cudaMalloc(&gradient, kCount * sizeof(float));
      cudaMemset(gradient, 0, kCount * sizeof(float));
    }
    cudaDeviceSynchronize();
  }
  ~Trainer() {
    for (float* gradient : gradients_) cudaFree(gradient);
    cudaEventDestroy(computed_);
    cudaStreamDestroy(compute_);
    cudaStreamDestroy(exchange_);
    ncclCommDestroy(comm_);
  }
  void step() {
    for (int layer = kLayers - 1; layer >= 0; layer--) {
      float* gradient = gradients_[layer];
      backward<<<2, 256, 0, compute_>>>(gradient, rank_ + layer + 1.0f);
      cudaEventRecord(computed_, compute_);
      cudaStreamWaitEvent(exchange_, computed_, 0);
      ncclAllReduce(gradient, gradient, kCount, ncclFloat, ncclSum, comm_, exchange_);
    }
    cudaDeviceSynchronize();
  }
  int wrong() const {
    int wrong = 0;
    std::vector<float> host(kCount);
    for (int layer = 0; layer < kLayers; layer++) {
      float scale = ranks_ * (layer + 1.0f) + ranks_ * (ranks_ - 1) / 2;
      cudaMemcpy(host.data(), gradients_[layer], kCount * sizeof(float), cudaMemcpyDeviceToHost);
      for (int i = 0; i < kCount; i++) wrong += host[i] != scale * i;
    }
    return wrong;
  }

 private:
  int rank_, ranks_;
  ncclComm_t comm_;
  cudaStream_t compute_, exchange_;
  cudaEvent_t computed_;
  float* gradients_[kLayers];
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  cudaSetDevice(rank);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  {
    Trainer trainer(rank, ranks, id);
    trainer.step();
    wrong = trainer.wrong();
  }
  std::printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong != 0;
}
