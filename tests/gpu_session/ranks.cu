// A rank of NCCL, without MPI: ranks MODE FOLDER. The launcher tells the rank; rank 0 hands out the communicator's name
// through a file of the folder, where each rank also leaves its process number.
//
//   work     an all-reduce whose result is checked, then all-gathers that are timed
//   wait     rank 0 is in a kernel without end, the others in a collective with it
//   spin     every rank is in a kernel without end
#include <cuda_runtime.h>
#include <nccl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kElements = 16 << 20;
constexpr int kRepetitions = 60;

int rank, rank_count;
std::string folder;

void require(int failure, const char* what) {
  if (failure == 0) return;
  std::printf("rank %d: %s gives %d\n", rank, what, failure);
  std::fflush(stdout);
  _exit(3);
}
#define REQUIRE(call) require(static_cast<int>(call), #call)

__global__ void spin(volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void fill(float* values, size_t count, float value) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) values[i] = value;
}

int number_from(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? -1 : std::atoi(text);
}

// The file appears whole: whoever sees it may read it.
void leave(const std::string& name, const void* bytes, size_t count) {
  std::string path = folder + "/" + name, unfinished = path + ".unfinished";
  std::ofstream(unfinished, std::ios::binary)
      .write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  std::rename(unfinished.c_str(), path.c_str());
}

void leave(const std::string& name, const std::string& text) { leave(name, text.data(), text.size()); }

ncclUniqueId agree_on_name() {
  ncclUniqueId id;
  if (rank == 0) {
    REQUIRE(ncclGetUniqueId(&id));
    leave("id", &id, sizeof id);
  }
  std::ifstream file;
  while (!file.is_open()) {
    usleep(5000);
    file.open(folder + "/id", std::ios::binary);
  }
  file.read(reinterpret_cast<char*>(&id), sizeof id);
  return id;
}

struct Place {
  ncclComm_t communicator;
  cudaStream_t stream;
  float *values, *gathered;
};

void hang(const Place& place, bool everybody) {
  int* flag = nullptr;
  REQUIRE(cudaMalloc(&flag, sizeof(int)));
  REQUIRE(cudaMemset(flag, 0, sizeof(int)));
  REQUIRE(cudaDeviceSynchronize());
  // Before the call: a first collective waits on the host for the others.
  leave("hangs" + std::to_string(rank), "");
  if (everybody || rank == 0)
    spin<<<16, 32, 0, place.stream>>>(flag);
  else
    REQUIRE(ncclAllReduce(place.values, place.values, 1024, ncclFloat, ncclSum, place.communicator, place.stream));
  REQUIRE(cudaStreamSynchronize(place.stream));
}

size_t wrong_sums(const Place& place) {
  fill<<<64, 256, 0, place.stream>>>(place.values, kElements, static_cast<float>(rank + 1));
  REQUIRE(ncclAllReduce(place.values, place.values, kElements, ncclFloat, ncclSum, place.communicator, place.stream));
  std::vector<float> sums(kElements);
  REQUIRE(cudaMemcpyAsync(sums.data(), place.values, kElements * sizeof(float), cudaMemcpyDeviceToHost, place.stream));
  REQUIRE(cudaStreamSynchronize(place.stream));
  float expected = static_cast<float>(rank_count * (rank_count + 1)) / 2;
  return static_cast<size_t>(std::count_if(sums.begin(), sums.end(), [&](float sum) { return sum != expected; }));
}

double gather_us(const Place& place, size_t bytes) {
  size_t count = bytes / sizeof(float) / static_cast<size_t>(rank_count);
  std::vector<double> times;
  for (int i = 0; i < kRepetitions; i++) {
    Clock::time_point begin = Clock::now();
    REQUIRE(ncclAllGather(place.values, place.gathered, count, ncclFloat, place.communicator, place.stream));
    REQUIRE(cudaStreamSynchronize(place.stream));
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[kRepetitions / 2];
}

int work(const Place& place) {
  int multiprocessors = 0;
  REQUIRE(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  size_t wrong = wrong_sums(place);
  double small = gather_us(place, 4096), large = gather_us(place, kElements * sizeof(float));
  std::printf("rank %d of %d: %d multiprocessors, %zu wrong, all-gather of 4 KiB %.1f us, of 64 MiB %.1f us\n", rank,
              rank_count, multiprocessors, wrong, small, large);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  rank = std::max({number_from("OMPI_COMM_WORLD_RANK"), number_from("PMI_RANK"), number_from("SLURM_PROCID")});
  rank_count = std::max({number_from("OMPI_COMM_WORLD_SIZE"), number_from("PMI_SIZE"), number_from("SLURM_NTASKS")});
  folder = arguments[2];
  leave("process" + std::to_string(rank), std::to_string(getpid()));
  Place place;
  REQUIRE(cudaSetDevice(0));
  REQUIRE(ncclCommInitRank(&place.communicator, rank_count, agree_on_name(), rank));
  REQUIRE(cudaStreamCreate(&place.stream));
  REQUIRE(cudaMalloc(&place.values, kElements * sizeof(float)));
  REQUIRE(cudaMalloc(&place.gathered, kElements * sizeof(float)));
  std::string mode = arguments[1];
  if (mode == "work") return work(place);
  hang(place, mode == "spin");
  return 0;
}
