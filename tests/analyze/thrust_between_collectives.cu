// Thrust and CUB work on what collectives send and receive: on a stream by a policy, through vectors and casts.
// expect: site s1 ncclAllGather send=input recv=whole count=share type=ncclFloat comm=comm stream=stream
// expect: site s2 ncclAllReduce send=sums recv=sums count=share type=ncclFloat comm=comm stream=stream op=ncclSum in-place
// expect: consumer s1 transform whole
// expect: producer s2 InclusiveSum sums
// expect-not: unordered
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/transform.h>

#include <cub/cub.cuh>

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
  const size_t share = 1024;
  float *input, *whole, *sums;
  cudaMalloc(&input, share * sizeof(float));
  cudaMalloc(&whole, ranks * share * sizeof(float));
  cudaMalloc(&sums, share * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  thrust::device_vector<float> scaled(ranks * share);
  ncclAllGather(input, whole, share, ncclFloat, comm, stream);
  thrust::transform(thrust::cuda::par.on(stream), whole, whole + ranks * share, scaled.begin(), thrust::negate<float>());
  void* storage = nullptr;
  size_t bytes = 0;
  cub::DeviceScan::InclusiveSum(storage, bytes, thrust::raw_pointer_cast(scaled.data()), sums, share, stream);
  cudaMalloc(&storage, bytes);
  cub::DeviceScan::InclusiveSum(storage, bytes, thrust::raw_pointer_cast(scaled.data()), sums, share, stream);
  ncclAllReduce(sums, sums, share, ncclFloat, ncclSum, comm, stream);
  cudaStreamSynchronize(stream);
  MPI_Finalize();
}
