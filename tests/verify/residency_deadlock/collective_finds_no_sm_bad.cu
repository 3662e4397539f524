// A polling kernel takes every block slot of the GPU while the collective that feeds it is still to be launched.
// ranks: 2
// expect-finding: residency_deadlock
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cuda/atomic>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), MPI_Abort(MPI_COMM_WORLD, 1), (void)0))

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

struct State {
  unsigned ready, matches;
  int total;
};

__global__ void publish(State* state) { Flag(state->ready).store(1, cuda::memory_order_release); }

__global__ void serve(State* state, int expected) {
  if (threadIdx.x != 0) return;
  while (Flag(state->ready).load(cuda::memory_order_acquire) == 0) {  // FAULT
  }
  if (state->total == expected) atomicAdd(&state->matches, 1u);
}

struct Streams {
  cudaStream_t serving, reducing;
  cudaEvent_t reduced;
};

void enqueue_reduction(State* state, ncclComm_t comm, const Streams& streams) {
  CHECK(ncclAllReduce(&state->total, &state->total, 1, ncclInt, ncclSum, comm, streams.reducing));  // FAULT
  publish<<<1, 1, 0, streams.reducing>>>(state);                                                    // FAULT
  CHECK(cudaEventRecord(streams.reduced, streams.reducing));
}

void run(State* state, ncclComm_t comm, const Streams& streams, int blocks, int expected) {
  serve<<<blocks, 32, 0, streams.serving>>>(state, expected);  // FAULT
  enqueue_reduction(state, comm, streams);                     // FAULT
  CHECK(cudaStreamWaitEvent(streams.serving, streams.reduced, 0));
  CHECK(cudaStreamSynchronize(streams.serving));  // FAULT
}

int full_gpu() {
  int multiprocessors = 0, resident = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, serve, 32, 0));
  return multiprocessors * resident;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, count;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  CHECK(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, count, id, rank));
  Streams streams;
  CHECK(cudaStreamCreateWithFlags(&streams.serving, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&streams.reducing, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&streams.reduced, cudaEventDisableTiming));
  State host{0, 0, rank + 1};
  State* state;
  CHECK(cudaMalloc(&state, sizeof(State)));
  CHECK(cudaMemcpy(state, &host, sizeof(State), cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());
  int blocks = full_gpu();
  run(state, comm, streams, blocks, count * (count + 1) / 2);
  CHECK(cudaMemcpy(&host, state, sizeof(State), cudaMemcpyDeviceToHost));
  bool wrong = host.matches != static_cast<unsigned>(blocks);
  std::printf("rank %d: %d wrong\n", rank, wrong);
  CHECK(cudaFree(state));
  CHECK(cudaEventDestroy(streams.reduced));
  CHECK(cudaStreamDestroy(streams.reducing));
  CHECK(cudaStreamDestroy(streams.serving));
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return wrong;
}
