// Tensor and data parallel groups made independently, not by a split.
// expect: communicator tensor init_rank ranks=kTensor parent=none
// expect: communicator data init_rank ranks=kData parent=none
// expect: site s1 ncclAllReduce send=hidden recv=hidden count=n type=ncclHalf comm=tensor stream=stream op=ncclSum in-place
// expect: site s2 ncclAllReduce send=grad recv=grad count=n type=ncclHalf comm=data stream=stream op=ncclAvg in-place
// expect: producer s1 partial_hidden hidden
// expect: producer s2 gradient grad
// expect: consumer s1 gradient hidden
// expect-not: overlap s2 ncclAllReduce
// expect-count: 2 communicator
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

constexpr int kTensor = 2, kData = 4;

__global__ void partial_hidden(__half* hidden, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) hidden[i] = __float2half(0.25f * i);
}

__global__ void gradient(const __half* hidden, __half* grad, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) grad[i] = __hmul(hidden[i], hidden[i]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm tensor_world, data_world;
  MPI_Comm_split(MPI_COMM_WORLD, rank / kTensor, rank, &tensor_world);
  MPI_Comm_split(MPI_COMM_WORLD, rank % kTensor, rank, &data_world);
  ncclUniqueId tensor_id, data_id;
  if (rank % kTensor == 0) ncclGetUniqueId(&tensor_id);
  if (rank / kTensor == 0) ncclGetUniqueId(&data_id);
  MPI_Bcast(&tensor_id, sizeof tensor_id, MPI_BYTE, 0, tensor_world);
  MPI_Bcast(&data_id, sizeof data_id, MPI_BYTE, 0, data_world);
  ncclComm_t tensor, data;
  ncclCommInitRank(&tensor, kTensor, tensor_id, rank % kTensor);
  ncclCommInitRank(&data, kData, data_id, rank / kTensor);
  const int n = 1 << 20;
  __half *hidden, *grad;
  cudaMalloc(&hidden, n * sizeof(__half));
  cudaMalloc(&grad, n * sizeof(__half));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  partial_hidden<<<n / 256, 256, 0, stream>>>(hidden, n);
  ncclAllReduce(hidden, hidden, n, ncclHalf, ncclSum, tensor, stream);
  gradient<<<n / 256, 256, 0, stream>>>(hidden, grad, n);
  ncclAllReduce(grad, grad, n, ncclHalf, ncclAvg, data, stream);
  cudaStreamSynchronize(stream);
  MPI_Finalize();
}
