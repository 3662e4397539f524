// Prefix sums over the values of all ranks, which are threads of one process: each rank scans its own values, gathers
// the totals, and adds those of the ranks before it. In place: the values are input and output.
#include <cuco/harness.h>
#include <nccl.h>

#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

__global__ void scan(int* values, int count, int* total) {
  int sum = 0;
  for (int i = 0; i < count; i++) values[i] = sum += values[i];
  *total = sum;
}

__global__ void add_before(int* values, int count, const int* totals, int rank) {
  int before = 0;
  for (int i = 0; i < rank; i++) before += totals[i];
  if (threadIdx.x < count) values[threadIdx.x] += before;
}

void run_rank(int rank, int rank_count, ncclUniqueId id, int argc, char** argv) {
  constexpr int kCount = 50;
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, rank_count, id, rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int *values, *totals;
  CHECK(cudaMalloc(&values, kCount * sizeof(int)));
  CHECK(cudaMalloc(&totals, rank_count * sizeof(int)));
  cuco::Harness harness(rank, rank_count, argc, argv);
  harness.input("values", values, kCount, cuco::integers(-100, 100));
  harness.output("sums", values, kCount, cuco::exact());
  harness.scratch("totals", totals, rank_count);
  harness.run([&] {
    scan<<<1, 1, 0, stream>>>(values, kCount, totals + rank);
    CHECK(ncclAllGather(totals + rank, totals, 1, ncclInt32, comm, stream));
    add_before<<<1, 64, 0, stream>>>(values, kCount, totals, rank);
    CHECK(cudaStreamSynchronize(stream));
  });
  CHECK(cudaFree(values));
  CHECK(cudaFree(totals));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}

int main(int argc, char** argv) {
  int rank_count = 0;
  CHECK(cudaGetDeviceCount(&rank_count));
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < rank_count; rank++) threads.emplace_back(run_rank, rank, rank_count, id, argc, argv);
  for (std::thread& thread : threads) thread.join();
}
