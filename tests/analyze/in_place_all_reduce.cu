// The usual gradient sum: one pointer is sent and received, so what the kernel wrote is gone afterwards.
// expect: site s1 ncclAllReduce send=grad recv=grad count=count type=ncclFloat comm=comm stream=stream op=ncclAvg in-place
// expect: producer s1 backward grad
// expect: consumer s1 update grad
// expect-not: overlap s1 update
// expect-not: overlap s1 backward
// expect-count: 1 window
// expect: window grad
// expect: output weights
// expect: convertible s1 yes
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <vector>

__global__ void backward(const float* weights, float* grad, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) grad[i] = 2 * weights[i];
}

__global__ void update(float* weights, const float* grad, float rate, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) weights[i] -= rate * grad[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  const int count = 1 << 24;
  std::vector<float> host(count, 1.0f);
  float *weights, *grad;
  cudaMalloc(&weights, count * sizeof(float));
  cudaMalloc(&grad, count * sizeof(float));
  cudaMemcpy(weights, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int epoch = 0; epoch < 10; ++epoch) {
    backward<<<count / 512, 512, 0, stream>>>(weights, grad, count);
    ncclAllReduce(grad, grad, count, ncclFloat, ncclAvg, comm, stream);
    update<<<count / 512, 512, 0, stream>>>(weights, grad, 1e-3f, count);
  }
  cudaStreamSynchronize(stream);
  cudaMemcpy(host.data(), weights, count * sizeof(float), cudaMemcpyDeviceToHost);
  MPI_Finalize();
}
