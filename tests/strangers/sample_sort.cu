// stranger: sample sort: Thrust sorts what is local, splitters are gathered, keys go to their owners with counts, Thrust sorts again
// nvcc: --extended-lambda
// ranks: 4
// arguments: 200
// expect-output: globally sorted, nothing lost
// convert: lsa gin
// share: all
#include <mpi.h>
#include <nccl.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/binary_search.h>
#include <thrust/tabulate.h>

#include <iostream>
#include <numeric>
#include <vector>

#define NCCL_SAFE(x) if ((x) != ncclSuccess) { std::cerr << #x << std::endl; std::exit(1); }

struct RandomKey {
  unsigned seed;
  __host__ __device__ unsigned operator()(unsigned long i) const {
    unsigned x = seed * 2654435761u + (unsigned)i * 40503u;
    x ^= x >> 13;
    x *= 0x5bd1e995u;
    return (x ^ (x >> 15)) & 0xffffff;
  }
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const size_t n = argc > 1 ? std::stoul(argv[1]) : 1 << 20;
  cudaSetDevice(rank);
  ncclUniqueId id;
  if (rank == 0) NCCL_SAFE(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  NCCL_SAFE(ncclCommInitRank(&comm, size, id, rank));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  bool sorted = true, complete = false;
  {
    thrust::device_vector<unsigned> keys(n);
    thrust::tabulate(keys.begin(), keys.end(), RandomKey{(unsigned)rank + 1});
    unsigned long before = thrust::reduce(keys.begin(), keys.end(), 0ul);
    thrust::sort(keys.begin(), keys.end());

    // size samples of each rank, all of them on every rank, every size-th of these in order is a splitter.
    thrust::device_vector<unsigned> samples(size), gathered(size * size);
    for (int i = 0; i < size; i++) samples[i] = keys[n * i / size];
    cudaDeviceSynchronize();
    NCCL_SAFE(ncclAllGather(thrust::raw_pointer_cast(samples.data()), thrust::raw_pointer_cast(gathered.data()), size, ncclUint32,
                            comm, stream));
    cudaStreamSynchronize(stream);
    thrust::sort(gathered.begin(), gathered.end());
    thrust::host_vector<unsigned> splitters = gathered;

    std::vector<int> send_count(size), recv_count(size), send_at(size + 1, 0), recv_at(size + 1, 0);
    for (int p = 1; p < size; p++)
      send_at[p] = thrust::lower_bound(keys.begin(), keys.end(), splitters[p * size]) - keys.begin();
    send_at[size] = (int)n;
    for (int p = 0; p < size; p++) send_count[p] = send_at[p + 1] - send_at[p];
    MPI_Alltoall(send_count.data(), 1, MPI_INT, recv_count.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::partial_sum(recv_count.begin(), recv_count.end(), recv_at.begin() + 1);

    thrust::device_vector<unsigned> mine(recv_at[size]);
    cudaDeviceSynchronize();
    NCCL_SAFE(ncclGroupStart());
    for (int p = 0; p < size; p++) {
      if (send_count[p]) NCCL_SAFE(ncclSend(thrust::raw_pointer_cast(keys.data()) + send_at[p], send_count[p], ncclUint32, p, comm, stream));
      if (recv_count[p]) NCCL_SAFE(ncclRecv(thrust::raw_pointer_cast(mine.data()) + recv_at[p], recv_count[p], ncclUint32, p, comm, stream));
    }
    NCCL_SAFE(ncclGroupEnd());
    cudaStreamSynchronize(stream);
    thrust::sort(thrust::device, mine.begin(), mine.end());

    std::vector<unsigned> host(mine.size());
    thrust::copy(mine.begin(), mine.end(), host.begin());
    for (size_t i = 1; i < host.size(); i++) sorted &= host[i - 1] <= host[i];
    unsigned ends[2] = {host.empty() ? 0 : host.front(), host.empty() ? 0 : host.back()};
    std::vector<unsigned> all(2 * size);
    MPI_Allgather(ends, 2, MPI_UNSIGNED, all.data(), 2, MPI_UNSIGNED, MPI_COMM_WORLD);
    for (int p = 1; p < size; p++) sorted &= all[2 * p - 1] <= all[2 * p] || all[2 * p] == 0;
    unsigned long after = std::accumulate(host.begin(), host.end(), 0ul), sums[2] = {before, after}, totals[2];
    MPI_Allreduce(sums, totals, 2, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
    complete = totals[0] == totals[1];
  }
  if (rank == 0) std::cout << (sorted ? "globally sorted" : "NOT SORTED") << ", " << (complete ? "nothing lost" : "KEYS LOST") << std::endl;
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return sorted && complete ? 0 : 1;
}
