// The NIC comes and goes: start_stop CYCLES makes a communicator, sends one message each way and takes everything down
// again, so many times. start_stop 1 kill: the last rank dies by SIGKILL while the others wait for its message in a
// kernel; they must see an error and end by themselves, with code 3. start_stop CYCLES abort: every communicator is
// aborted while its messages are on their way, and the next one must work.
#include <csignal>
#include <cstring>

#include "world.h"

namespace {

__global__ void greet(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin(comm, 0);
  const ncclTeam world = ncclTeamWorld(comm);
  const int next = (world.rank + 1) % world.nRanks;
  gin.put(world, next, window, 4096, window, 0, 4096, ncclGin_StrongSignalInc{0});
  gin.waitSignal(ncclCoopThread(), 0, 1);
  gin.flush(ncclCoopThread());
}

constexpr size_t kLongBytes = size_t{1} << 20;
constexpr int kLongMessages = 16;

// Milliseconds of messages that nobody waits for.
__global__ void talk(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin(comm, 0);
  const ncclTeam world = ncclTeamWorld(comm);
  const int next = (world.rank + 1) % world.nRanks;
  for (int i = 0; i < kLongMessages; ++i)
    gin.put(world, next, window, kLongBytes * (i + kLongMessages), window, kLongBytes * i, kLongBytes,
            ncclGin_StrongSignalInc{0});
}

// The kernel that waits for the dead would keep the process from ending in order.
void end_on_error(ncclComm_t comm, cudaStream_t stream) {
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    ncclResult_t result = ncclSuccess;
    ncclCommGetAsyncError(comm, &result);
    if (result != ncclSuccess && result != ncclInProgress) {
      std::fprintf(stderr, "seen: %s\n", ncclGetErrorString(result));
      _exit(3);
    }
  }
  if (cudaStreamQuery(stream) != cudaSuccess) {
    std::fprintf(stderr, "seen: %s\n", cudaGetErrorString(cudaGetLastError()));
    _exit(3);
  }
}

void cycle(int rank, int count, bool kills) {
  World world(rank, count);
  if (!world.has_gin()) stop(__FILE__, __LINE__, "NCCL reports no GIN");
  world.open_window();
  const bool dies = kills && rank == count - 1;
  if (dies) raise(SIGKILL);
  greet<<<1, 1, 0, world.stream>>>(world.device, world.window);
  end_on_error(world.comm, world.stream);
  world.close_window();
}

void aborted_cycle(int rank, int count) {
  World world(rank, count);
  world.open_window();
  greet<<<1, 1, 0, world.stream>>>(world.device, world.window);
  world.wait(world.stream);
  talk<<<1, 1, 0, world.stream>>>(world.device, world.window);
  CHECK_CUDA(cudaStreamSynchronize(world.stream));
  world.abort();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, count = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  const int cycles = argc > 1 ? std::atoi(argv[1]) : 1;
  const char* how = argc > 2 ? argv[2] : "";
  const bool aborts = std::strcmp(how, "abort") == 0;
  for (int i = 0; i < cycles; ++i) {
    if (aborts)
      aborted_cycle(rank, count);
    else
      cycle(rank, count, std::strcmp(how, "kill") == 0);
  }
  if (rank == 0) std::printf("start_stop: %d cycles %s\n", cycles, how);
  MPI_Finalize();
  return 0;
}
