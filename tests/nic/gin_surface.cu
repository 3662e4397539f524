// Every verb of GIN once, checked byte by byte: rank r writes to rank r + 1, so that all NICs send and receive at once.
// Prints one line per verb and ends with status 0 when all are right.
#include <vector>

#include "world.h"

namespace {

constexpr size_t kHalf = kWindowBytes / 2;  // The first half is sent from, the second one written to.

__device__ unsigned char pattern(int rank, size_t offset) {
  return static_cast<unsigned char>((offset * 2654435761u >> 13) + 31 * rank + 1);
}

__global__ void fill(unsigned char* memory, int rank) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < kHalf; i += gridDim.x * blockDim.x) {
    memory[i] = pattern(rank, i);
    memory[kHalf + i] = 0;
  }
}

// Bytes that differ from `bytes` of the sender's pattern at `from`, and from zero beside them.
__global__ void compare(const unsigned char* memory, int sender, size_t from, size_t to, size_t bytes, int* wrong) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += gridDim.x * blockDim.x)
    if (memory[kHalf + to + i] != pattern(sender, from + i)) atomicAdd(wrong, 1);
  if (blockIdx.x == 0 && threadIdx.x == 0 && memory[kHalf + to + bytes] != 0) atomicAdd(wrong, 1);
}

struct Span {
  size_t from, to, bytes;
};

__global__ void put_strong(ncclDevComm comm, ncclWindow_t window, int peer, Span span, uint64_t expected) {
  ncclGin gin(comm, 0);
  gin.put(ncclTeamWorld(comm), peer, window, kHalf + span.to, window, span.from, span.bytes,
          ncclGin_StrongSignalInc{0});
  gin.waitSignal(ncclCoopThread(), 0, expected);
  gin.flush(ncclCoopThread());
}

__global__ void put_then_signal(ncclDevComm comm, ncclWindow_t window, int peer, size_t piece, int pieces) {
  ncclGin gin(comm, 1);
  for (int i = 0; i < pieces; ++i)
    gin.put(ncclTeamWorld(comm), peer, window, kHalf + i * piece, window, i * piece, piece);
  gin.signal(ncclTeamWorld(comm), peer, ncclGin_StrongSignalAdd{1, 41});
  gin.waitSignal(ncclCoopThread(), 1, 41);
  gin.flush(ncclCoopThread());
}

__global__ void put_weak(ncclDevComm comm, ncclWindow_t window, int peer, size_t piece, int pieces) {
  ncclGin gin(comm, 2);
  for (int i = 0; i < pieces; ++i)
    gin.put(ncclTeamWorld(comm), peer, window, kHalf + i * piece, window, i * piece, piece, ncclGin_WeakSignalInc{2});
  gin.waitSignal(ncclCoopThread(), 2, pieces);
  gin.flush(ncclCoopThread());
}

__global__ void put_values(ncclDevComm comm, ncclWindow_t window, int peer, int rank, const char* memory, int from,
                           int* wrong) {
  ncclGin gin(comm, 0);
  const ncclTeam world = ncclTeamWorld(comm);
  gin.putValue(world, peer, window, kHalf + 0, static_cast<uint8_t>(0xa1 + rank));
  gin.putValue(world, peer, window, kHalf + 2, static_cast<uint16_t>(0xb1b2 + rank));
  gin.putValue(world, peer, window, kHalf + 4, static_cast<uint32_t>(0xc1c2c3c4 + rank));
  gin.putValue(world, peer, window, kHalf + 8, static_cast<uint64_t>(0xd1d2d3d4d5d6d7d8 + rank),
               ncclGin_StrongSignalInc{3});
  gin.waitSignal(ncclCoopThread(), 3, 1);
  const volatile char* base = memory + kHalf;
  if (*reinterpret_cast<const volatile uint8_t*>(base) != static_cast<uint8_t>(0xa1 + from)) ++*wrong;
  if (*reinterpret_cast<const volatile uint16_t*>(base + 2) != static_cast<uint16_t>(0xb1b2 + from)) ++*wrong;
  if (*reinterpret_cast<const volatile uint32_t*>(base + 4) != static_cast<uint32_t>(0xc1c2c3c4 + from)) ++*wrong;
  if (*reinterpret_cast<const volatile uint64_t*>(base + 8) != 0xd1d2d3d4d5d6d7d8 + from) ++*wrong;
  gin.flush(ncclCoopThread());
}

__global__ void get_all(ncclDevComm comm, ncclWindow_t window, int peer, size_t piece, int pieces) {
  ncclGin gin(comm, 3);
  for (int i = 0; i < pieces; ++i)
    gin.get(ncclTeamWorld(comm), peer, window, i * piece, window, kHalf + i * piece, piece);
  ncclGinRequest_t request;
  gin.flushAsync(ncclTeamWorld(comm), peer, &request);
  gin.wait(request);
}

__global__ void count_puts(ncclDevComm comm, ncclWindow_t window, int peer, int* wrong) {
  ncclGin gin(comm, 0);
  for (int i = 0; i < 32; ++i)
    gin.put(ncclTeamWorld(comm), peer, window, kHalf + i * 64, window, i * 64, 64, ncclGin_StrongSignalInc{4},
            ncclGin_WeakCounterInc{5});
  gin.waitCounter(ncclCoopThread(), 5, 32);
  gin.waitSignal(ncclCoopThread(), 4, 32);
  gin.resetCounter(5);
  if (gin.readCounter(5) != 0) ++*wrong;
  gin.resetSignal(4);
  if (gin.readSignal(4) != 0) ++*wrong;
}

__global__ void signal_addresses(ncclDevComm comm, ncclWindow_t window, int peer, int* wrong) {
  ncclGin gin(comm, 0);
  const size_t word = kWindowBytes - 64;
  gin.signal(ncclTeamWorld(comm), peer, ncclGin_StrongVASignalInc{window, word});
  gin.waitSignal(ncclCoopThread(), window, word, 1);
  gin.signal(ncclTeamWorld(comm), peer, ncclGin_StrongVASignalAdd{window, word + 8, 1000});
  gin.waitSignal(ncclCoopThread(), window, word + 8, 1000);
  if (gin.readSignal(window, word) != 1) ++*wrong;
  gin.flush(ncclCoopThread());
}

__global__ void all_contexts(ncclDevComm comm, ncclWindow_t window, int peer, size_t piece, int pieces) {
  ncclGin gin(comm, blockIdx.x);
  const size_t first = blockIdx.x * piece * pieces;
  for (int i = 0; i < pieces; ++i)
    gin.put(ncclTeamWorld(comm), peer, window, kHalf + first + i * piece, window, first + i * piece, piece,
            ncclGin_StrongSignalInc{6});
  gin.waitSignal(ncclCoopThread(), 6, pieces);
  gin.flush(ncclCoopThread());
}

__global__ void barriers(ncclDevComm comm, int rounds) {
  ncclGinBarrierSession<ncclCoopCta> barrier(ncclCoopCta(), ncclGin(comm, 0), ncclTeamTagWorld(), 0);
  for (int i = 0; i < rounds; ++i) barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

// What a program does beside its messages must not wait for the NIC.
void use_device() {
  void* memory = nullptr;
  for (int i = 0; i < 3; ++i) {
    CHECK_CUDA(cudaMalloc(&memory, 1 << 20));
    CHECK_CUDA(cudaMemset(memory, 1, 1 << 20));
    CHECK_CUDA(cudaFree(memory));
    CHECK_CUDA(cudaDeviceSynchronize());
  }
}

class Surface {
 public:
  explicit Surface(World& world)
      : world_(world), next_((world.rank + 1) % world.count), last_((world.rank + world.count - 1) % world.count) {
    CHECK_CUDA(cudaMallocManaged(&wrong_, sizeof(int)));
  }

  void begin() {
    *wrong_ = 0;
    fill<<<64, 256, 0, world_.stream>>>(reinterpret_cast<unsigned char*>(world_.memory), world_.rank);
    world_.meet();
  }

  void expect(int sender, Span span) {
    world_.meet();
    compare<<<64, 256, 0, world_.stream>>>(reinterpret_cast<unsigned char*>(world_.memory), sender, span.from, span.to,
                                           span.bytes, wrong_);
    world_.meet();
  }

  void report(const char* verb) {
    CHECK_CUDA(cudaGetLastError());
    world_.meet();
    const double worst = world_.slowest(*wrong_);
    failures_ += worst != 0;
    if (world_.rank == 0) std::printf("%-16s %s (%g wrong)\n", verb, worst == 0 ? "right" : "WRONG", worst);
    std::fflush(stdout);
  }

  int run();

 private:
  void check_puts();
  void check_series();

  World& world_;
  int next_;
  int last_;
  int* wrong_ = nullptr;
  int failures_ = 0;
};

void Surface::check_puts() {
  const std::vector<Span> spans = {{0, 0, 1},       {1, 3, 3},          {8, 16, 8},           {5, 9, 13},
                                   {64, 0, 4096},   {7, 1, 65541},      {4096, 128, 1 << 20}, {3, 2, (1 << 20) + 3},
                                   {0, 0, 8 << 20}, {0, 0, kHalf - 128}};
  uint64_t expected = 0;
  for (const Span& span : spans) {
    begin();
    put_strong<<<1, 1, 0, world_.stream>>>(world_.device, world_.window, next_, span, ++expected);
    expect(last_, span);
    report(("put " + std::to_string(span.bytes)).c_str());
  }
}

void Surface::check_series() {
  begin();
  put_then_signal<<<1, 1, 0, world_.stream>>>(world_.device, world_.window, next_, 5000, 300);
  expect(last_, {0, 0, 5000 * 300});
  report("puts, signal add");
  begin();
  put_weak<<<1, 1, 0, world_.stream>>>(world_.device, world_.window, next_, 100'000, 100);
  expect(last_, {0, 0, 100'000 * 100});
  report("weak signals");
  begin();
  get_all<<<1, 1, 0, world_.stream>>>(world_.device, world_.window, next_, 30'000, 100);
  expect(next_, {0, 0, 30'000 * 100});
  report("gets");
  begin();
  all_contexts<<<kContexts, 1, 0, world_.stream>>>(world_.device, world_.window, next_, 20'000, 50);
  expect(last_, {0, 0, 20'000 * 50 * kContexts});
  report("contexts");
}

int Surface::run() {
  check_puts();
  check_series();
  begin();
  put_values<<<1, 1, 0, world_.stream>>>(world_.device, world_.window, next_, world_.rank, world_.memory, last_,
                                         wrong_);
  report("putValue");
  begin();
  count_puts<<<1, 1, 0, world_.stream>>>(world_.device, world_.window, next_, wrong_);
  report("counters, resets");
  begin();
  signal_addresses<<<1, 1, 0, world_.stream>>>(world_.device, world_.window, next_, wrong_);
  report("VA signals");
  barriers<<<1, 64, 0, world_.stream>>>(world_.device, 100);
  report("barriers");
  use_device();
  report("device calls");
  return failures_;
}

}  // namespace

int main(int argc, char** argv) {
  World world(&argc, &argv);
  if (!world.has_gin()) stop(__FILE__, __LINE__, "NCCL reports no GIN");
  world.open_window();
  int failures = 0;
  {
    Surface surface(world);
    failures = surface.run();
  }
  world.close_window();
  if (world.rank == 0) std::printf("surface: %d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
