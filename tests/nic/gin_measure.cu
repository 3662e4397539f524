// Measures the link that a GIN program sees: latency of signals and small puts, bandwidth of a pair, both ways, a ring
// and an incast, message rate, and how much compute and a transfer slow each other down. All times are the GPU's.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "world.h"

namespace {

constexpr int kRounds = 500;

// Rank 0 and rank 1 answer each other; the others stand by. Two ways make a round, whose time rank 0 notes.
__global__ void ping_pong(ncclDevComm comm, ncclWindow_t window, int rank, size_t bytes, uint64_t base, uint64_t* ns) {
  ncclGin gin(comm, 0);
  const ncclTeam world = ncclTeamWorld(comm);
  const int peer = 1 - rank;
  for (int i = 0; i < kRounds; ++i) {
    const uint64_t start = global_ns();
    if (rank == 1) gin.waitSignal(ncclCoopThread(), 0, base + i + 1);
    if (bytes)
      gin.put(world, peer, window, kWindowBytes / 2, window, 0, bytes, ncclGin_StrongSignalInc{0});
    else
      gin.signal(world, peer, ncclGin_StrongSignalInc{0});
    if (rank == 0) gin.waitSignal(ncclCoopThread(), 0, base + i + 1);
    ns[i] = global_ns() - start;
  }
  gin.flush(ncclCoopThread());
}

struct Stream {
  int target;         // -1: this rank sends nothing.
  uint64_t expected;  // Signals this rank waits for.
  size_t bytes;
  int count;
};

// Block 0 sends, block 1 notes when the first and the last message have come.
__global__ void stream_puts(ncclDevComm comm, ncclWindow_t window, Stream stream, uint64_t base, uint64_t* times) {
  ncclGin gin(comm, 0);
  if (blockIdx.x == 0 && stream.target >= 0) {
    const size_t room = kWindowBytes / 2 / stream.bytes;
    for (int i = 0; i < stream.count; ++i)
      gin.put(ncclTeamWorld(comm), stream.target, window, kWindowBytes / 2 + (i % room) * stream.bytes, window,
              (i % room) * stream.bytes, stream.bytes, ncclGin_WeakSignalInc{1});
    gin.flush(ncclCoopThread());
  }
  if (blockIdx.x == 1 && stream.expected > 0) {
    gin.waitSignal(ncclCoopThread(), 1, base + 1);
    times[0] = global_ns();
    gin.waitSignal(ncclCoopThread(), 1, base + stream.expected);
    times[1] = global_ns();
  }
}

// Sends the time of sending, after a pause in which the receiver fills the GPU.
__global__ void send_late(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin(comm, 1);
  const uint64_t start = global_ns();
  while (global_ns() - start < 20'000'000) {
  }
  gin.putValue(ncclTeamWorld(comm), 0, window, kWindowBytes / 2, global_ns(), ncclGin_StrongSignalInc{2});
  gin.flush(ncclCoopThread());
}

// Every thread slot of the GPU is taken until the message is there.
__global__ void wait_crowded(ncclDevComm comm, const char* memory, volatile int* over, uint64_t base, uint64_t* ns) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    ncclGin gin(comm, 1);
    gin.waitSignal(ncclCoopThread(), 2, base + 1);
    *ns = global_ns() - *reinterpret_cast<const volatile uint64_t*>(memory + kWindowBytes / 2);
    *over = 1;
  }
  while (!*over) __nanosleep(1'000);
}

__global__ void compute(float* out, int rounds) {
  float a = threadIdx.x, b = 1.0001f, c = 0.5f, d = 0.25f;
  for (int i = 0; i < rounds; ++i) {
    a = fmaf(a, b, c);
    c = fmaf(c, b, d);
    d = fmaf(d, b, a);
  }
  if (a + c + d == 0.12345f) *out = a;
}

class Measure {
 public:
  explicit Measure(World& world) : world_(world) {
    CHECK_CUDA(cudaMallocManaged(&times_, kRounds * sizeof(uint64_t)));
    CHECK_CUDA(cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking));
    CHECK_CUDA(cudaEventCreate(&begin_));
    CHECK_CUDA(cudaEventCreate(&end_));
  }

  void latency(size_t bytes) {
    world_.meet();
    if (world_.rank < 2)
      ping_pong<<<1, 1, 0, world_.stream>>>(world_.device, world_.window, world_.rank, bytes, pings_, times_);
    world_.meet();
    CHECK_CUDA(cudaGetLastError());
    pings_ += kRounds;
    if (world_.rank != 0) return;
    std::sort(times_, times_ + kRounds);
    const auto one_way_us = [&](int share) { return times_[kRounds * share / 100] / 2e3; };
    std::printf("one way, %6zu B: median %7.2f us, 10 %% below %.2f, 10 %% above %.2f, longest %.1f\n", bytes,
                one_way_us(50), one_way_us(10), one_way_us(90), times_[kRounds - 1] / 2e3);
  }

  // The slowest receiver's rate of arrival.
  double rate(const char* shape, size_t bytes, int count) {
    const Stream stream = plan(shape, bytes, count);
    world_.meet();
    stream_puts<<<2, 1, 0, world_.stream>>>(world_.device, world_.window, stream, arrived_, times_);
    world_.meet();
    CHECK_CUDA(cudaGetLastError());
    arrived_ += stream.expected;
    const double mine = stream.expected ? double(times_[1] - times_[0]) / double(stream.expected - 1) : 0;
    return world_.slowest(mine);  // ns between two messages.
  }

  void bandwidth(const char* shape, size_t bytes, int count) {
    rate(shape, bytes, 4);
    const double ns = rate(shape, bytes, count);
    if (world_.rank == 0)
      std::printf("%-8s %9zu B x %5d: %8.3f GB/s, %8.1f us a message\n", shape, bytes, count, bytes / ns, ns / 1e3);
    std::fflush(stdout);
  }

  double compute_ms(bool beside_transfer, double* transfer_rate) {
    const size_t bytes = 1 << 20;
    const Stream stream = plan("ring", bytes, 400);
    world_.meet();
    if (beside_transfer) stream_puts<<<2, 1, 0, side_>>>(world_.device, world_.window, stream, arrived_, times_);
    CHECK_CUDA(cudaEventRecord(begin_, world_.stream));
    // Many short blocks, as those of a matrix product: an SM that has one block less is made up for by the others.
    compute<<<132 * 64, 256, 0, world_.stream>>>(reinterpret_cast<float*>(world_.memory), 60'000);
    CHECK_CUDA(cudaEventRecord(end_, world_.stream));
    CHECK_CUDA(cudaEventSynchronize(end_));
    world_.wait(side_);
    world_.meet();
    if (beside_transfer) arrived_ += stream.expected;
    if (beside_transfer) *transfer_rate = bytes / world_.slowest(double(times_[1] - times_[0]) / (stream.expected - 1));
    float ms = 0;
    CHECK_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
    return world_.slowest(ms);
  }

  // What a message costs when the receiver's kernels leave no room for another one.
  void crowded() {
    int* over = nullptr;
    CHECK_CUDA(cudaMalloc(&over, sizeof(int)));
    CHECK_CUDA(cudaMemset(over, 0, sizeof(int)));
    world_.meet();
    if (world_.rank == 1) send_late<<<1, 1, 0, world_.stream>>>(world_.device, world_.window);
    usleep(5'000);  // The sender must be on the GPU before it is full.
    if (world_.rank == 0)
      wait_crowded<<<132 * 8, 256, 0, world_.stream>>>(world_.device, world_.memory, over, crowds_, times_);
    world_.meet();
    ++crowds_;
    CHECK_CUDA(cudaFree(over));
    if (world_.rank == 0) std::printf("one way into a full GPU: %.1f us\n", times_[0] / 1e3);
  }

  void overlap() {
    double transfer = 0;
    compute_ms(false, nullptr);
    const double alone = compute_ms(false, nullptr);
    const double beside = compute_ms(true, &transfer);
    if (world_.rank == 0)
      std::printf("compute alone %.2f ms, beside a transfer %.2f ms (%+.1f %%), transfer %.2f GB/s\n", alone, beside,
                  (beside / alone - 1) * 100, transfer);
  }

 private:
  Stream plan(const std::string& shape, size_t bytes, int count) const {
    const int others = world_.count - 1;
    Stream stream{-1, 0, bytes, count};
    if (shape == "pair" && world_.rank == 0) stream.target = 1;
    if (shape == "pair" && world_.rank == 1) stream.expected = count;
    if (shape == "incast" && world_.rank != 0) stream.target = 0;
    if (shape == "incast" && world_.rank == 0) stream.expected = uint64_t(count) * others;
    if (shape == "ring") stream = {(world_.rank + 1) % world_.count, uint64_t(count), bytes, count};
    return stream;
  }

  World& world_;
  uint64_t* times_ = nullptr;
  cudaStream_t side_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  uint64_t pings_ = 0;
  uint64_t arrived_ = 0;
  uint64_t crowds_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  World world(&argc, &argv);
  if (!world.has_gin()) stop(__FILE__, __LINE__, "NCCL reports no GIN");
  world.open_window();
  {
    Measure measure(world);
    for (size_t bytes : {size_t{0}, size_t{8}, size_t{4096}, size_t{65536}}) measure.latency(bytes);
    measure.bandwidth("pair", 8, 2000);
    measure.bandwidth("pair", 65536, 1000);
    measure.bandwidth("pair", 1 << 20, 200);
    measure.bandwidth("pair", 16 << 20, 20);
    for (size_t bytes : {size_t{65536}, size_t{1} << 20}) {
      measure.bandwidth("ring", bytes, 200);
      measure.bandwidth("incast", bytes, 200);
    }
    if (argc < 2 || std::strcmp(argv[1], "no-overlap") != 0) measure.overlap();
    for (int i = 0; i < 3; ++i) measure.crowded();
  }
  world.close_window();
  return 0;
}
