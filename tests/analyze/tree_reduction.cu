// Binary tree: in every round half of the ranks that are left send their sum to a partner and drop out.
// expect: site s1 ncclSend send=sum recv=none count=n type=ncclFloat comm=comm stream=stream peer=rank - stride
// expect: site s2 ncclRecv send=none recv=other count=n type=ncclFloat comm=comm stream=stream peer=rank + stride
// expect: loop s1 peers
// expect: loop s2 peers
// expect: group s1 none
// expect: consumer s2 add other
// expect: producer s1 local_sum sum
// expect: producer s1 add sum carried
// expect-not: producer s1 ncclRecv
// expect-not: overlap s2 add
// expect: output sum
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

__global__ void local_sum(float* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = i;
}

__global__ void add(float* sum, const float* other, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] += other[i];
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
  const int n = 1 << 20;
  float *sum, *other, result;
  cudaMalloc(&sum, n * sizeof(float));
  cudaMalloc(&other, n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  local_sum<<<n / 256, 256, 0, stream>>>(sum, n);
  for (int stride = 1; stride < ranks; stride *= 2) {
    if (rank % (2 * stride) != 0) {
      ncclSend(sum, n, ncclFloat, rank - stride, comm, stream);
      break;
    }
    if (rank + stride < ranks) {
      ncclRecv(other, n, ncclFloat, rank + stride, comm, stream);
      add<<<n / 256, 256, 0, stream>>>(sum, other, n);
    }
  }
  cudaStreamSynchronize(stream);
  cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
  MPI_Finalize();
}
