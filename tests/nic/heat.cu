// A GIN program as anybody might write it: heat spreads over a plate that ranks share by rows, each sends its edges to
// its neighbours with puts from a kernel, and the result is compared with that of one processor. Nothing in it knows of
// the emulated NIC. mpirun -n N ./heat [steps]; prints the time of a step and how far it is from the processor's plate.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <nccl_device.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define OK(call, good)                                                          \
  do {                                                                          \
    const auto code = (call);                                                   \
    if (code != (good)) {                                                       \
      std::fprintf(stderr, "%s:%d: error %d\n", __FILE__, __LINE__, int(code)); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                             \
    }                                                                           \
  } while (0)
#define CUDA(call) OK(call, cudaSuccess)
#define NCCL(call) OK(call, ncclSuccess)

namespace {

constexpr int kColumns = 1000;
constexpr int kRows = 250;  // Of a rank, without the two that belong to its neighbours.
constexpr size_t kPlate = size_t(kRows + 2) * kColumns;

__host__ __device__ float spread(const float* plate, size_t i) {
  return 0.25f * (plate[i - 1] + plate[i + 1] + plate[i - kColumns] + plate[i + kColumns]);
}

__global__ void step(const float* from, float* to) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = 1 + blockIdx.y;
  if (column >= kColumns) return;
  const size_t i = size_t(row) * kColumns + column;
  to[i] = column == 0 || column == kColumns - 1 ? from[i] : spread(from, i);
}

// The plate lies twice in the window; `side` is the one that was just written. Signal 0 comes from above, 1 from below.
__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int side, uint64_t round) {
  ncclGin gin(comm, 0);
  const ncclTeam world = ncclTeamWorld(comm);
  const size_t row = kColumns * sizeof(float);
  const size_t plate = side * kPlate * sizeof(float);
  const bool above = world.rank > 0;
  const bool below = world.rank + 1 < world.nRanks;
  if (above)
    gin.put(world, world.rank - 1, window, plate + (kRows + 1) * row, window, plate + row, row,
            ncclGin_StrongSignalInc{1});
  if (below)
    gin.put(world, world.rank + 1, window, plate, window, plate + kRows * row, row, ncclGin_StrongSignalInc{0});
  if (above) gin.waitSignal(ncclCoopThread(), 0, round);
  if (below) gin.waitSignal(ncclCoopThread(), 1, round);
  gin.flush(ncclCoopThread());
}

float heat_at(size_t row, int column) { return column == 0 ? 100.0f : float((row * 7 + column * 3) % 50); }

// All rows of all ranks on one processor; the first and the last row stay as they are.
std::vector<float> whole_plate(int ranks, int steps) {
  const size_t rows = size_t(ranks) * kRows + 2;
  std::vector<float> from(rows * kColumns), to;
  for (size_t i = 0; i < from.size(); ++i) from[i] = heat_at(i / kColumns, int(i % kColumns));
  to = from;
  for (int s = 0; s < steps; ++s, std::swap(from, to))
    for (size_t row = 1; row + 1 < rows; ++row)
      for (int column = 1; column + 1 < kColumns; ++column)
        to[row * kColumns + column] = spread(from.data(), row * kColumns + column);
  return from;
}

double largest_difference(const std::vector<float>& mine, const std::vector<float>& whole, int rank) {
  double largest = 0;
  for (size_t i = kColumns; i < kPlate - kColumns; ++i)
    largest = std::fmax(largest, std::fabs(mine[i] - whole[size_t(rank) * kRows * kColumns + i]));
  return largest;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int steps = argc > 1 ? std::atoi(argv[1]) : 200;
  CUDA(cudaSetDevice(0));
  ncclUniqueId id;
  if (rank == 0) NCCL(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  NCCL(ncclCommInitRank(&comm, ranks, id, rank));

  float* plates = nullptr;
  ncclWindow_t window;
  NCCL(ncclMemAlloc(reinterpret_cast<void**>(&plates), 2 * kPlate * sizeof(float)));
  NCCL(ncclCommWindowRegister(comm, plates, 2 * kPlate * sizeof(float), &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements_t needs = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
  needs.ginConnectionType = NCCL_GIN_CONNECTION_FULL;
  needs.ginContextCount = 1;
  needs.ginSignalCount = 2;
  ncclDevComm device;
  NCCL(ncclDevCommCreate(comm, &needs, &device));

  std::vector<float> mine(kPlate);
  for (size_t i = 0; i < kPlate; ++i) mine[i] = heat_at(size_t(rank) * kRows + i / kColumns, int(i % kColumns));
  for (int side : {0, 1})
    CUDA(cudaMemcpy(plates + side * kPlate, mine.data(), kPlate * sizeof(float), cudaMemcpyHostToDevice));
  MPI_Barrier(MPI_COMM_WORLD);

  const double start = MPI_Wtime();
  for (int s = 0; s < steps; ++s) {
    const int side = (s + 1) % 2;
    step<<<dim3((kColumns + 255) / 256, kRows), 256>>>(plates + (1 - side) * kPlate, plates + side * kPlate);
    exchange<<<1, 1>>>(device, window, side, uint64_t(s) + 1);
  }
  CUDA(cudaDeviceSynchronize());
  const double us = (MPI_Wtime() - start) * 1e6 / steps;

  CUDA(cudaMemcpy(mine.data(), plates + (steps % 2) * kPlate, kPlate * sizeof(float), cudaMemcpyDeviceToHost));
  double worst = largest_difference(mine, whole_plate(ranks, steps), rank), slowest = us;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const bool right = worst < 1e-3;
  if (rank == 0)
    std::printf("heat: %d steps, %.1f us each, off by %.2g: %s\n", steps, slowest, worst, right ? "right" : "WRONG");

  MPI_Barrier(MPI_COMM_WORLD);
  NCCL(ncclDevCommDestroy(comm, &device));
  NCCL(ncclCommWindowDeregister(comm, window));
  NCCL(ncclMemFree(plates));
  NCCL(ncclCommDestroy(comm));
  MPI_Finalize();
  return right ? 0 : 1;
}
