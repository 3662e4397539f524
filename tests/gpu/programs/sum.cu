// Every rank adds up all ranks' inputs and doubles the sum, in a way that the variable CUCO_TEST_FAULT spoils. Written
// for the stand-in of a CUDA runtime: a kernel is a function of its array of arguments.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "cuco/harness.h"

namespace {

void double_them(void** arguments) {
  auto* values = *static_cast<float**>(arguments[0]);
  auto count = *static_cast<int*>(arguments[1]);
  for (int i = 0; i < count; i++) values[i] *= 2;
}

bool atomic_load_signal() { return true; }

// The stand-in calls every kernel wait_for_it.
void wait_for_it(void**) {
  while (!atomic_load_signal()) {
  }
  throw EndlessKernel();
}

void read_nowhere(void**) { throw FailingKernel(); }

void launch(void (*kernel)(void**), float* values, int count, cudaStream_t stream) {
  void* arguments[] = {&values, &count};
  cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(), dim3(), arguments, 0, stream);
}

constexpr std::chrono::milliseconds kLate{100};

void write_late(float* place) {
  std::this_thread::sleep_for(kLate);
  *place = 0;
}

struct Fault {
  std::string name;
  int calls = 0;

  bool is(const char* wanted) const { return name == wanted; }
};

}  // namespace

int main(int argc, char** argv) {
  int rank = 0, rank_count = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
  const char* given = std::getenv("CUCO_TEST_FAULT");
  bool is_late = given && std::string(given) == "late";
  Fault fault{rank == 1 && given ? given : ""};
  {
    cuco::Harness harness(rank, rank_count, argc, argv);
    auto count = static_cast<int>(harness.parameter("n", 1024));
    harness.require(count % rank_count == 0, "n must be a multiple of the ranks");
    float *in = nullptr, *sum = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&in), sizeof(float) * count);
    cudaMalloc(reinterpret_cast<void**>(&sum), sizeof(float) * count);
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    harness.input("in", in, count, cuco::normal(0, 1));
    harness.output("sum", sum, count, cuco::within(1e-5, 1e-5));
    harness.run([&] {
      fault.calls++;
      ncclAllReduce(in, sum, count, ncclFloat32, ncclSum, nullptr, stream);
      launch(double_them, sum, count, stream);
      if (fault.is("wrong") && fault.calls == 3) sum[7] += 1;
      if (fault.is("unwritten") && fault.calls == 2) std::memset(&sum[9], 0xff, sizeof(float));
      if (fault.is("dies") && fault.calls == 2) std::raise(SIGSEGV);
      if (fault.is("leaves") && fault.calls == 2) std::_Exit(0);
      if (fault.is("hangs") && fault.calls == 3) launch(wait_for_it, sum, count, stream);
      if (fault.is("fails") && fault.calls == 2) launch(read_nowhere, sum, count, stream);
      if (fault.is("late")) std::thread(write_late, &sum[3]).detach();
      if (is_late && rank == 0) std::this_thread::sleep_for(kLate * 3);
      cudaStreamSynchronize(stream);
    });
    cudaStreamDestroy(stream);
  }
  MPI_Finalize();
}
