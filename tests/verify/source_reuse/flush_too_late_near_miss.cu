// One vector goes to all peers at once, which may share a source; after the flush the next one takes its place.
// ranks: 4
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kRounds = 3;
constexpr int kCount = 64;
constexpr size_t kBytes = kCount * sizeof(float);

class Outbox {
 public:
  __device__ Outbox(const ncclGin& gin, ncclWindow_t vector, ncclWindow_t inbox)
      : gin_(gin), vector_(vector), inbox_(inbox) {}

  __device__ void fill(int round) {
    static_cast<float*>(ncclGetLocalPointer(vector_, 0))[threadIdx.x] = 100.0f * round + gin_.comm.rank;
    __syncthreads();
  }
  __device__ void send_to_all(int round) {
    const int n = gin_.comm.nRanks;
    size_t to = (round * n + gin_.comm.rank) * kBytes;
    if (threadIdx.x < n)
      gin_.put(ncclTeamWorld(gin_.comm), threadIdx.x, inbox_, to, vector_, 0, kBytes, ncclGin_SignalInc{0});
    __syncthreads();
  }

 private:
  const ncclGin& gin_;
  ncclWindow_t vector_, inbox_;
};

__global__ void broadcast_rounds(ncclDevComm comm, ncclWindow_t vector, ncclWindow_t inbox) {
  ncclGin gin{comm, 0};
  Outbox outbox(gin, vector, inbox);
  outbox.fill(0);
  for (int round = 0; round < kRounds; round++) {
    outbox.send_to_all(round);
    gin.flush(ncclCoopCta());
    outbox.fill(round + 1);
  }
  gin.waitSignal(ncclCoopCta(), 0, kRounds * comm.nRanks);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t blocks = kRounds * ranks.count;
  Window vector(ranks.comm, kBytes), inbox(ranks.comm, blocks * kBytes);
  ncclDevCommRequirements requirements{};
  requirements.ginForceEnable = true;
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  broadcast_rounds<<<1, kCount>>>(dev_comm, vector.handle, inbox.handle);
  std::vector<float> got = download(reinterpret_cast<float*>(inbox.base), blocks * kCount);
  long wrong = 0;
  for (size_t i = 0; i < got.size(); i++) {
    size_t block = i / kCount;
    wrong += got[i] != 100.0f * (block / ranks.count) + block % ranks.count;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return ranks.verdict(wrong);
}
