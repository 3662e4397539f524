// Ranks as POSIX threads: the body gets everything through a void pointer.
// expect: ranks threads
// expect: site s1 ncclReduce send=votes recv=tally count=kChoices type=ncclUint32 comm=comm stream=stream op=ncclSum peer=0
// expect: operation ncclReduce in count_votes
// expect: loop s1 none
// expect: producer s1 vote votes
// expect: kernel vote votes:read_write
// expect-count: 1 site s
// expect-not: in-place
// expect: output tally
#include <cuda_runtime.h>
#include <nccl.h>
#include <pthread.h>
#include <stdio.h>

constexpr int kRanks = 2, kChoices = 64;

struct Seat {
  int rank;
  ncclUniqueId id;
};

__global__ void vote(unsigned* votes) { atomicAdd(&votes[(threadIdx.x * 7) % kChoices], 1); }

static void* count_votes(void* argument) {
  Seat* seat = static_cast<Seat*>(argument);
  cudaSetDevice(seat->rank);
  ncclComm_t comm;
  ncclCommInitRank(&comm, kRanks, seat->id, seat->rank);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  unsigned *votes, *tally, winner[kChoices];
  cudaMalloc(&votes, kChoices * sizeof(unsigned));
  cudaMalloc(&tally, kChoices * sizeof(unsigned));
  cudaMemsetAsync(votes, 0, kChoices * sizeof(unsigned), stream);
  vote<<<32, 128, 0, stream>>>(votes);
  ncclReduce(votes, tally, kChoices, ncclUint32, ncclSum, 0, comm, stream);
  cudaStreamSynchronize(stream);
  if (seat->rank == 0) {
    cudaMemcpy(winner, tally, sizeof winner, cudaMemcpyDeviceToHost);
    printf("%u\n", winner[0]);
  }
  return nullptr;
}

int main() {
  Seat seats[kRanks];
  pthread_t threads[kRanks];
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  for (int i = 0; i < kRanks; ++i) {
    seats[i] = {i, id};
    pthread_create(&threads[i], nullptr, count_votes, &seats[i]);
  }
  for (int i = 0; i < kRanks; ++i) pthread_join(threads[i], nullptr);
}
