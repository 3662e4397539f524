// Rank 0 waits in a kernel for a put that rank 1 enqueued behind a collective, which rank 0 enqueued behind the wait.
// ranks: 2
// nodes: 2
// expect-finding: deadlock
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kElements = 200;
constexpr size_t kBytes = kElements * sizeof(int);

__global__ void send_bias(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 0, window, kBytes, window, 0, kBytes, ncclGin_SignalInc{0}, ncclGin_None{},
          ncclCoopCta());
  gin.flush(ncclCoopCta());
}

__global__ void add_bias(ncclDevComm comm, ncclWindow_t window, int* values) {
  ncclGin gin{comm, 0};
  gin.waitSignal(ncclCoopCta(), 0, 1);  // FAULT
  auto* bias = static_cast<int*>(ncclGetLocalPointer(window, kBytes));
  for (int i = threadIdx.x; i < kElements; i += blockDim.x) values[i] += bias[i];
}

void enqueue(const Ranks& ranks, const ncclDevComm& dev_comm, ncclWindow_t window, int* values, cudaStream_t stream) {
  if (ranks.rank == 0) add_bias<<<1, 64, 0, stream>>>(dev_comm, window, values);
  CHECK(ncclAllReduce(values, values, kElements, ncclInt, ncclSum, ranks.comm, stream));  // FAULT
  if (ranks.rank == 1) send_bias<<<1, 64, 0, stream>>>(dev_comm, window);                 // FAULT
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, 2 * kBytes);
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int* values;
    CHECK(cudaMalloc(&values, kBytes));
    upload(values, std::vector<int>(kElements, ranks.rank + 1));
    upload(reinterpret_cast<int*>(window.base), std::vector<int>(kElements, 40));
    enqueue(ranks, dev_comm, window.handle, values, stream);
    CHECK(cudaStreamSynchronize(stream));  // FAULT
    for (int value : download(values, kElements)) wrong += value != 43;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(values));
    CHECK(cudaStreamDestroy(stream));
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
