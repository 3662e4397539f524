// What the host and the streams wait for: launches, queues, synchronisation, events. Also says what machine this is.
//
// A latency that cannot be seen by itself is the difference of two times: with kernels of S and of 2 S clocks, twice
// the first less the second has no kernel left in it.
#include "measure.h"

using namespace calibrate;

// Memory that host and device both see at once.
struct Flags {
  volatile int* values = nullptr;  // [0] is the host's to write, [1] the kernel's.

  Flags() {
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, 2 * sizeof(int), cudaHostAllocMapped));
    values = static_cast<volatile int*>(memory);
    values[0] = values[1] = 0;
  }
  ~Flags() { check(cudaFreeHost(const_cast<int*>(values))); }
  Flags(const Flags&) = delete;
};

__global__ void raise_flag(volatile int* flags, int value) { flags[1] = value; }

__global__ void echo(volatile int* flags, int rounds) {
  for (int i = 1; i <= rounds; i++) {
    while (flags[0] < i) {
    }
    flags[1] = i;
  }
}

__global__ void nothing() {}

void wait_for(volatile int* flags, int value) {
  constexpr double kPatienceUs = 5e6;
  double begin = now_us();
  while (flags[1] != value)
    if (now_us() - begin > kPatienceUs) fail("CUDA", "a kernel's store does not reach the host");
}

// From the host to a kernel and back.
void measure_round_trip(const Ranks& ranks, Who who) {
  constexpr int kRounds = 200;
  Flags flags;
  measure_each(ranks, {"host_round_trip", who}, 11, [&] {
    flags.values[0] = flags.values[1] = 0;
    echo<<<1, 1, 0, ranks.stream>>>(flags.values, kRounds);
    flags.values[0] = 1;
    wait_for(flags.values, 1);
    double begin = now_us();
    for (int i = 2; i <= kRounds; i++) {
      flags.values[0] = i;
      wait_for(flags.values, i);
    }
    double end = now_us();
    check(cudaStreamSynchronize(ranks.stream));
    return (end - begin) / (kRounds - 1);
  });
}

// From the call of a launch until the host sees what the kernel stores first.
void measure_launch(const Ranks& ranks, Who who) {
  Flags flags;
  int round = 0;
  measure_each(ranks, {"launch_to_flag", who}, 200, [&] {
    round++;
    double begin = now_us();
    raise_flag<<<1, 1, 0, ranks.stream>>>(flags.values, round);
    wait_for(flags.values, round);
    double end = now_us();
    check(cudaStreamSynchronize(ranks.stream));
    return end - begin;
  });
}

void measure_launch_and_sync(const Ranks& ranks, Who who, long long clocks) {
  measure_each(ranks, {"launch_and_sync", who, double(clocks)}, 200, [&] {
    double begin = now_us();
    spin<<<ranks.sm_count, 128, 0, ranks.stream>>>(clocks);
    check(cudaStreamSynchronize(ranks.stream));
    return now_us() - begin;
  });
}

void measure_queue(const Ranks& ranks, Who who, long long clocks) {
  measure_each(ranks, {"queued_kernel", who, double(clocks)}, 21, [&] {
    return queued_us(ranks, 100, [&](int) { spin<<<ranks.sm_count, 128, 0, ranks.stream>>>(clocks); });
  });
}

// Two streams that wait for each other in turn; a round is a kernel on each.
void measure_event(const Ranks& ranks, Who who, long long clocks) {
  cudaStream_t other;
  check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  Event there(cudaEventDisableTiming), back(cudaEventDisableTiming);
  measure_each(ranks, {"event_hop", who, double(clocks)}, 21, [&] {
    return 0.5 * queued_us(ranks, 50, [&](int) {
             spin<<<ranks.sm_count, 128, 0, ranks.stream>>>(clocks);
             check(cudaEventRecord(there.event, ranks.stream));
             check(cudaStreamWaitEvent(other, there.event, 0));
             spin<<<ranks.sm_count, 128, 0, other>>>(clocks);
             check(cudaEventRecord(back.event, other));
             check(cudaStreamWaitEvent(ranks.stream, back.event, 0));
           });
  });
  check(cudaStreamDestroy(other));
}

// How long the host is busy with calls that only enqueue.
void measure_host_calls(const Ranks& ranks, Who who) {
  constexpr int kCalls = 100;
  Event event(cudaEventDisableTiming);
  auto per_call = [&](auto call) {
    spin<<<1, 1, 0, ranks.stream>>>(2'000'000);
    double begin = now_us();
    for (int i = 0; i < kCalls; i++) call();
    double end = now_us();
    check(cudaStreamSynchronize(ranks.stream));
    return (end - begin) / kCalls;
  };
  measure_each(ranks, {"host_launch_call", who}, 21,
               [&] { return per_call([&] { nothing<<<1, 1, 0, ranks.stream>>>(); }); });
  measure_each(ranks, {"host_event_call", who}, 21,
               [&] { return per_call([&] { check(cudaEventRecord(event.event, ranks.stream)); }); });
}

void measure_all(const Ranks& ranks, Who who) {
  measure_round_trip(ranks, who);
  measure_launch(ranks, who);
  for (long long clocks : {kShortSpin, kLongSpin}) {
    measure_launch_and_sync(ranks, who, clocks);
    measure_queue(ranks, who, clocks);
    measure_event(ranks, who, clocks);
  }
  measure_host_calls(ranks, who);
}

void print_machine(const Ranks& ranks) {
  if (!ranks.is_first()) return;
  int runtime = 0, driver = 0, nccl = 0, clock_khz = 0;
  check(cudaRuntimeGetVersion(&runtime));
  check(cudaDriverGetVersion(&driver));
  check(ncclGetVersion(&nccl));
  check(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0));
  const cudaDeviceProp& device = ranks.device;
  std::printf("machine gpu %s\n", device.name);
  std::printf("machine architecture sm_%d%d\n", device.major, device.minor);
  std::printf("machine cuda_runtime %d\nmachine cuda_driver %d\nmachine nccl %d\n", runtime, driver, nccl);
  std::printf("machine ranks %d\nmachine ranks_per_node %d\n", ranks.count, ranks.per_node);
  std::printf("machine sm_count %d\nmachine clock_khz %d\n", ranks.sm_count, clock_khz);
  std::printf("machine memory_bytes %zu\nmachine l2_bytes %d\n", device.totalGlobalMem, device.l2CacheSize);
  std::printf("machine shared_bytes_per_sm %zu\n", device.sharedMemPerMultiprocessor);
  std::printf("machine registers_per_sm %d\n", device.regsPerMultiprocessor);
  std::printf("machine threads_per_sm %d\n", device.maxThreadsPerMultiProcessor);
  std::printf("machine blocks_per_sm %d\n", device.maxBlocksPerMultiProcessor);
  std::fflush(stdout);
}

// Which ranks run on the same GPU: those whose devices have the same identity.
void print_sharing(const Ranks& ranks) {
  std::vector<cudaUUID_t> all(static_cast<size_t>(ranks.count));
  MPI_Allgather(&ranks.device.uuid, sizeof(cudaUUID_t), MPI_BYTE, all.data(), sizeof(cudaUUID_t), MPI_BYTE,
                MPI_COMM_WORLD);
  auto same = [&](const cudaUUID_t& other) {
    return std::equal(other.bytes, other.bytes + sizeof other.bytes, ranks.device.uuid.bytes);
  };
  if (ranks.is_first())
    std::printf("machine ranks_per_gpu %d\n", static_cast<int>(std::count_if(all.begin(), all.end(), same)));
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  print_machine(ranks);
  print_sharing(ranks);
  for (Who who : {Who::All, Who::Alone}) measure_all(ranks, who);
}
