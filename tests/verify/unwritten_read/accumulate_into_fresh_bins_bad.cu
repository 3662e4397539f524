// The bins come straight from cudaMalloc, so the atomics add to whatever lay there.
// ranks: 2
// expect-finding: unwritten_read
// says: ranks 0-1: 
// says: `bins[0]` (byte 0 of 64 from cudaMalloc at
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kBins = 16;
constexpr int kSamples = 1024;

template <int Bins>
__global__ void count_samples(const int* samples, int count, unsigned* bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[samples[i] % Bins], 1u);  // FAULT
}

ncclComm_t connect(int* rank, int* count) {
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, count);
  cudaSetDevice(*rank);
  ncclUniqueId id;
  if (*rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, *count, id, *rank);
  return comm;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, count;
  ncclComm_t comm = connect(&rank, &count);
  std::vector<int> host(kSamples);
  for (int i = 0; i < kSamples; i++) host[i] = i + rank;
  int* samples;
  unsigned* bins;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&samples, kSamples * sizeof(int));
  cudaMalloc(&bins, kBins * sizeof(unsigned));  // FAULT
  cudaMemcpyAsync(samples, host.data(), kSamples * sizeof(int), cudaMemcpyHostToDevice, stream);
  count_samples<kBins><<<4, 64, 0, stream>>>(samples, kSamples, bins);
  ncclAllReduce(bins, bins, kBins, ncclUint32, ncclSum, comm, stream);
  std::vector<unsigned> total(kBins);
  cudaMemcpyAsync(total.data(), bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  int wrong = 0;
  for (unsigned bin : total) wrong += bin != static_cast<unsigned>(count * kSamples / kBins);
  std::printf("rank %d: %d wrong\n", rank, wrong);
  cudaFree(bins);
  cudaFree(samples);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return wrong != 0;
}
