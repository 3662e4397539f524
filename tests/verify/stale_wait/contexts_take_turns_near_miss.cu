// Rounds alternate between two contexts and wait for as many signals as the context has carried so far.
// ranks: 2
// nodes: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kRounds = 4;
constexpr int kCount = 32;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  auto* own = static_cast<int*>(ncclGetLocalPointer(window, 0));
  for (int round = 0; round < kRounds; round++) {
    ncclGin gin{comm, round % 2};
    own[round * kCount + threadIdx.x] = 100 * round + comm.rank;
    __syncthreads();
    size_t at = round * kBytes;
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, kRounds * kBytes + at, window, at, kBytes,
            ncclGin_SignalInc{0}, ncclGin_None{}, ncclCoopCta());
    gin.waitSignal(ncclCoopCta(), 0, round / 2 + 1);
    sums[threadIdx.x] += own[(kRounds + round) * kCount + threadIdx.x];
    gin.flush(ncclCoopCta());
  }
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, 4096);
    CHECK(cudaMemset(window.base, 0, 4096));
    CHECK(cudaDeviceSynchronize());
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = 2;
    requirements.ginCounterCount = 2;
    requirements.ginContextCount = 2;
    requirements.barrierCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    MPI_Barrier(MPI_COMM_WORLD);
    int* sums;
    CHECK(cudaMalloc(&sums, kBytes));
    CHECK(cudaMemset(sums, 0, kBytes));
    exchange<<<1, kCount>>>(dev_comm, window.handle, sums);
    std::vector<int> got = download(sums, kCount);
    for (int sum : got) wrong += sum != 600 + kRounds * (1 - ranks.rank);
    CHECK(cudaFree(sums));
    CHECK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
