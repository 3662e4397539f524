// One kernel template, three instantiations; each is a kernel of its own and the template itself is none.
// expect: kernel cast_scale<float, __half, 4> in:read out:write
// expect: kernel cast_scale<__half, float, 4> in:read out:write
// expect: kernel cast_scale<__half, float, 1> in:read out:write
// expect-count: 3 kernel cast_scale<
// expect-count: 3 kernel
// expect: site s1 ncclAllReduce send=wire recv=wire count=n type=ncclHalf comm=comm stream=stream op=ncclSum in-place
// expect: producer s1 cast_scale<float, __half, 4> wire
// expect: consumer s1 cast_scale<__half, float, 4> wire
// expect: consumer s1 cast_scale<__half, float, 1> wire
// expect-not: cast_scale<float, float
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

template <typename In, typename Out, int kPerThread>
__global__ void cast_scale(const In* in, Out* out, float factor, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * kPerThread;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i)
    if (first + i < n) out[first + i] = static_cast<Out>(static_cast<float>(in[first + i]) * factor);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ncclUniqueId id;
  if (!rank) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  float *gradient, *mean, *last;
  __half* wire;
  cudaMalloc(&gradient, n * sizeof(float));
  cudaMalloc(&mean, n * sizeof(float));
  cudaMalloc(&last, n * sizeof(float));
  cudaMalloc(&wire, n * sizeof(__half));
  cudaStream_t stream;
  cudaStreamCreate(&stream);

  cast_scale<float, __half, 4><<<n / 1024, 256, 0, stream>>>(gradient, wire, 1.0f / ranks, n);
  ncclAllReduce(wire, wire, n, ncclHalf, ncclSum, comm, stream);
  cast_scale<__half, float, 4><<<n / 1024, 256, 0, stream>>>(wire, mean, 1.0f, n);
  cast_scale<__half, float, 1><<<n / 256, 256, 0, stream>>>(wire, last, 1.0f, n);
  cudaStreamSynchronize(stream);
  MPI_Finalize();
}
