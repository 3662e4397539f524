// What host code does by itself or by MPI, between two looks at the clock. Arguments: which, and of how much.
#include <cuda_runtime.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

struct Data {
  std::vector<float> values, others;
};

void scale(Data& data) {
  for (float& value : data.values) value = 2.0f * value + 1.0f;
}

void act(const std::string& which, Data& data, int rank) {
  int bytes = static_cast<int>(data.values.size() * sizeof(float));
  if (which == "compute") scale(data);
  if (which == "copy") std::memcpy(data.others.data(), data.values.data(), bytes);
  if (which == "control") std::printf("%d\n", bytes + rank);
  if (which == "gather")
    MPI_Allgather(data.values.data(), bytes / 2, MPI_BYTE, data.others.data(), bytes / 2, MPI_BYTE, MPI_COMM_WORLD);
  if (which == "message") {
    if (rank == 0) MPI_Send(data.values.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(data.others.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (which == "function") {
    cudaLaunchHostFunc(nullptr, [](void* given) { scale(*static_cast<Data*>(given)); }, &data);
    cudaDeviceSynchronize();
  }
  if (which == "threads") {
    Data half{std::vector<float>(data.values.size() / 2), {}}, other = half;
    std::thread beside([&] { scale(half); });
    scale(other);
    beside.join();
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int devices;
  cudaGetDeviceCount(&devices);
  cudaSetDevice(rank % devices);
  size_t count = std::strtoul(argv[2], nullptr, 10);
  Data data{std::vector<float>(count), std::vector<float>(count)};
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  act(argv[1], data, rank);
  double seconds = MPI_Wtime() - begin, slowest = 0;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("took %.3f us, sum %g\n", slowest * 1e6, data.values[count / 2] + data.others[count / 2]);
  MPI_Finalize();
}
