// stranger: all-reduce by hand: reduce-scatter and all-gather round a ring, chunk by chunk, out of ncclSend, ncclRecv and an add kernel
// ranks: 4
// arguments: 64
// expect-output: ring allreduce agrees with ncclAllReduce
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

struct NcclException { ncclResult_t code; };
struct CudaException { cudaError_t code; };
void operator||(ncclResult_t code, std::nullptr_t) { if (code != ncclSuccess) throw NcclException{code}; }
void operator||(cudaError_t code, std::nullptr_t) { if (code != cudaSuccess) throw CudaException{code}; }
#define OR_THROW || nullptr

__global__ void accumulate(float* into, const float* from, size_t n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) into[i] += from[i];
}

__global__ void fill(float* data, size_t n, int rank) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) data[i] = float(i % 31) + 0.5f * rank;
}

class Ring {
 public:
  Ring(ncclComm_t comm, cudaStream_t stream) : comm_(comm), stream_(stream) {
    ncclCommUserRank(comm, &rank_) OR_THROW;
    ncclCommCount(comm, &ranks_) OR_THROW;
  }

  void all_reduce(float* data, float* inbox, size_t count) const {
    const size_t chunk = count / ranks_;
    auto part = [&](int index) { return data + size_t((index + 2 * ranks_) % ranks_) * chunk; };
    for (int step = 0; step < ranks_ - 1; ++step) {
      pass(part(rank_ - step), inbox, chunk);
      accumulate<<<4, 64, 0, stream_>>>(part(rank_ - step - 1), inbox, chunk);
    }
    for (int step = 0; step < ranks_ - 1; ++step) pass(part(rank_ + 1 - step), part(rank_ - step), chunk);
  }

 private:
  void pass(const float* out, float* in, size_t count) const {
    ncclGroupStart() OR_THROW;
    ncclSend(out, count, ncclFloat, (rank_ + 1) % ranks_, comm_, stream_) OR_THROW;
    ncclRecv(in, count, ncclFloat, (rank_ + ranks_ - 1) % ranks_, comm_, stream_) OR_THROW;
    ncclGroupEnd() OR_THROW;
  }

  ncclComm_t comm_;
  cudaStream_t stream_;
  int rank_ = 0, ranks_ = 1;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const size_t count = argc > 1 ? std::stoul(argv[1]) : 1 << 24;
  bool same = true;
  try {
    cudaSetDevice(rank) OR_THROW;
    ncclUniqueId id;
    if (rank == 0) ncclGetUniqueId(&id) OR_THROW;
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclComm_t comm;
    ncclCommInitRank(&comm, ranks, id, rank) OR_THROW;
    cudaStream_t stream;
    cudaStreamCreate(&stream) OR_THROW;
    float *data, *inbox, *reference;
    cudaMalloc(&data, count * sizeof(float)) OR_THROW;
    cudaMalloc(&inbox, count / ranks * sizeof(float)) OR_THROW;
    cudaMalloc(&reference, count * sizeof(float)) OR_THROW;
    fill<<<4, 64, 0, stream>>>(data, count, rank);
    fill<<<4, 64, 0, stream>>>(reference, count, rank);
    cudaStreamSynchronize(stream) OR_THROW;
    double seconds = MPI_Wtime();
    Ring(comm, stream).all_reduce(data, inbox, count);
    cudaStreamSynchronize(stream) OR_THROW;
    seconds = MPI_Wtime() - seconds;
    ncclAllReduce(reference, reference, count, ncclFloat, ncclSum, comm, stream) OR_THROW;
    std::vector<float> a(count), b(count);
    cudaMemcpyAsync(a.data(), data, count * sizeof(float), cudaMemcpyDeviceToHost, stream) OR_THROW;
    cudaMemcpyAsync(b.data(), reference, count * sizeof(float), cudaMemcpyDeviceToHost, stream) OR_THROW;
    cudaStreamSynchronize(stream) OR_THROW;
    for (size_t i = 0; i < count; ++i) same &= std::fabs(a[i] - b[i]) < 1e-3f && a[i] >= ranks * float(i % 31);
    if (rank == 0) std::cout << seconds << " s, ring allreduce " << (same ? "agrees" : "DISAGREES") << " with ncclAllReduce\n";
    cudaFree(data) OR_THROW;
    cudaFree(inbox) OR_THROW;
    cudaFree(reference) OR_THROW;
    cudaStreamDestroy(stream) OR_THROW;
    ncclCommDestroy(comm) OR_THROW;
  } catch (NcclException& e) {
    std::cerr << ncclGetErrorString(e.code) << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  } catch (CudaException& e) {
    std::cerr << cudaGetErrorString(e.code) << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return same ? 0 : 1;
}
