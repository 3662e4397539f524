// Puts of kernels to other nodes (GIN): latency one way, bandwidth when every rank sends to the next node, and how many
// small messages a rank sends. Prints nothing but a fact where there is one node or no GIN.
#include <nccl_device.h>

#include "measure.h"

using namespace calibrate;

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 30, 0)

constexpr size_t kHalf = size_t{32} << 20;

struct Window {
  ncclComm_t comm;
  void* memory = nullptr;
  ncclWindow_t window = nullptr;
  ncclDevComm device = {};

  explicit Window(ncclComm_t communicator) : comm(communicator) {
    check(ncclMemAlloc(&memory, 2 * kHalf));
    check(cudaMemset(memory, 0, 2 * kHalf));
    check(ncclCommWindowRegister(comm, memory, 2 * kHalf, &window, NCCL_WIN_COLL_SYMMETRIC));
    ncclDevCommRequirements needs = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
    needs.ginConnectionType = NCCL_GIN_CONNECTION_FULL;
    needs.ginContextCount = 1;
    needs.ginSignalCount = 2;
    check(ncclDevCommCreate(comm, &needs, &device));
  }
  ~Window() {
    check(ncclDevCommDestroy(comm, &device));
    check(ncclCommWindowDeregister(comm, window));
    check(ncclMemFree(memory));
  }
  Window(const Window&) = delete;
};

bool has_gin(ncclComm_t comm) {
  ncclCommProperties_t properties = NCCL_COMM_PROPERTIES_INITIALIZER;
  check(ncclCommQueryProperties(comm, &properties));
  return properties.ginType != NCCL_GIN_TYPE_NONE;
}

// Two ranks answer each other; `before` signals came in earlier calls.
__global__ void answer(ncclDevComm comm, ncclWindow_t window, int partner, bool leads, size_t bytes, uint64_t before,
                       int rounds) {
  ncclGin gin(comm, 0);
  for (int i = 1; i <= rounds; i++) {
    if (!leads) gin.waitSignal(ncclCoopThread(), 0, before + i);
    gin.put(ncclTeamWorld(comm), partner, window, kHalf, window, 0, bytes, ncclGin_StrongSignalInc{0});
    if (leads) gin.waitSignal(ncclCoopThread(), 0, before + i);
  }
  gin.flush(ncclCoopThread());
}

// The first rank of the first two nodes.
void measure_latency(const Ranks& ranks, const Window& window, size_t bytes) {
  constexpr int kRounds = 200;
  static uint64_t before = 0;
  bool leads = ranks.rank == 0, plays = leads || ranks.rank == ranks.per_node;
  std::vector<double> samples = samples_of(ranks, Who::All, 11, [&] {
    double us = 0;
    if (plays)
      us = queued_us(ranks, 1, [&](int) {
        answer<<<1, 1, 0, ranks.stream>>>(window.device, window.window, leads ? ranks.per_node : 0, leads, bytes,
                                          before, kRounds);
      });
    before += kRounds;
    return us / (2 * kRounds);
  });
  print(ranks, {"gin_latency", Who::Alone, double(bytes)}, slowest(samples));
}

// Every rank sends so many messages to the next node and waits for as many.
__global__ void stream(ncclDevComm comm, ncclWindow_t window, int target, size_t bytes, int count, uint64_t before) {
  ncclGin gin(comm, 0);
  size_t places = kHalf / bytes;
  for (int i = 0; i < count; i++) {
    size_t at = (i % places) * bytes;
    gin.put(ncclTeamWorld(comm), target, window, kHalf + at, window, at, bytes, ncclGin_WeakSignalInc{1});
  }
  gin.waitSignal(ncclCoopThread(), 1, before + count);
  gin.flush(ncclCoopThread());
}

void measure_stream(const Ranks& ranks, const Window& window, size_t bytes, int count) {
  static uint64_t before = 0;
  int target = (ranks.rank + ranks.per_node) % ranks.count;
  std::vector<double> samples = samples_of(ranks, Who::All, 5, [&] {
    double us = queued_us(ranks, 1, [&](int) {
      stream<<<1, 1, 0, ranks.stream>>>(window.device, window.window, target, bytes, count, before);
    });
    before += count;
    return us;
  });
  print(ranks, {"gin_stream", Who::All, double(bytes), double(bytes) * count}, slowest(samples));
}

void measure_all(const Ranks& ranks) {
  Communicator communicator(ranks);
  if (ranks.is_first()) std::printf("machine gin %s\n", has_gin(communicator.comm) ? "yes" : "no");
  if (!has_gin(communicator.comm)) return;
  Window window(communicator.comm);
  measure_latency(ranks, window, 8);
  measure_stream(ranks, window, 8, 1000);
  for (size_t bytes : {size_t{1} << 20, size_t{4} << 20}) measure_stream(ranks, window, bytes, 24);
  check(cudaGetLastError());
}

#else
void measure_all(const Ranks&) {}
#endif

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  if (ranks.per_node < ranks.count) measure_all(ranks);
}
