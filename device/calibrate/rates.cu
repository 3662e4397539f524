// What a rank's multiprocessors and memory deliver at best: arithmetic, HBM, L2, copies; and how long a load takes.
#include <cuda_bf16.h>
#include <mma.h>

#include "measure.h"

using namespace calibrate;
using bf16 = __nv_bfloat16;
namespace wmma = nvcuda::wmma;

constexpr int kSamples = 11;
constexpr int kChains = 8;  // Independent sums of a thread or warp, so that none waits for its own result.

__global__ void fused_multiply_adds(float* out, int rounds, float factor) {
  float sums[kChains];
  for (int i = 0; i < kChains; i++) sums[i] = threadIdx.x + i;
  for (int round = 0; round < rounds; round++)
#pragma unroll
    for (int i = 0; i < kChains; i++) sums[i] = fmaf(sums[i], factor, 1.0f);
  float total = 0;
  for (float sum : sums) total += sum;
  if (total == 12345.678f) *out = total;  // Never: it keeps the compiler from dropping the work.
}

void measure_fp32(const Ranks& ranks, Who who) {
  constexpr int kRounds = 4096, kThreads = 256, kBlocksPerSm = 8;
  DeviceBytes out(sizeof(float));
  int blocks = ranks.sm_count * kBlocksPerSm;
  double work = 2.0 * kChains * kRounds * kThreads * blocks;
  measure_together(ranks, {"fp32", who, 0, work}, kSamples, [&] {
    return queued_us(ranks, 10, [&](int) {
      fused_multiply_adds<<<blocks, kThreads, 0, ranks.stream>>>(reinterpret_cast<float*>(out.data), kRounds, 0.999f);
    });
  });
}

__global__ void tensor_products(float* out, int rounds) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[kChains];
  wmma::fill_fragment(a, __float2bfloat16(threadIdx.x * 0.001f));
  wmma::fill_fragment(b, __float2bfloat16(0.5f));
  for (int i = 0; i < kChains; i++) wmma::fill_fragment(sums[i], 1.0f + i);  // Equal sums might be computed once.
  for (int round = 0; round < rounds; round++)
#pragma unroll
    for (auto& sum : sums) wmma::mma_sync(sum, a, b, sum);
  float total = 0;
  for (auto& sum : sums)
    for (float element : sum.x) total += element;  // All of them: instructions whose results nobody reads are dropped.
  if (total == 12345.678f) *out = total;
}

void measure_tensor(const Ranks& ranks, Who who) {
  constexpr int kRounds = 2048, kThreads = 256, kBlocksPerSm = 2;
  DeviceBytes out(sizeof(float));
  int blocks = ranks.sm_count * kBlocksPerSm;
  double work = 2.0 * 16 * 16 * 16 * kChains * kRounds * (kThreads / 32) * blocks;
  measure_together(ranks, {"tensor_bf16", who, 0, work}, kSamples, [&] {
    return queued_us(ranks, 10, [&](int) {
      tensor_products<<<blocks, kThreads, 0, ranks.stream>>>(reinterpret_cast<float*>(out.data), kRounds);
    });
  });
}

__global__ void copy_all(uint4* to, const uint4* from, size_t count) {
  size_t stride = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) to[i] = from[i];
}

// Reads past the L1, which is not what is measured.
__global__ void read_all(uint4* out, const uint4* from, size_t count, int rounds) {
  size_t stride = size_t(gridDim.x) * blockDim.x;
  unsigned seen = 0;
  for (int round = 0; round < rounds; round++)
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
      uint4 value = __ldcg(from + i);
      seen ^= value.x ^ value.y ^ value.z ^ value.w;
    }
  if (seen == 0x12345678) out->x = seen;
}

uint4* vectors(const DeviceBytes& memory) { return reinterpret_cast<uint4*>(memory.data); }

constexpr size_t kLargeBytes = size_t{512} << 20;  // Of one buffer: far beyond any L2.

void measure_hbm(const Ranks& ranks, Who who) {
  DeviceBytes from(kLargeBytes), to(kLargeBytes);
  int blocks = ranks.sm_count * 4;
  size_t count = kLargeBytes / sizeof(uint4);
  measure_together(ranks, {"hbm_copy", who, 0, 2.0 * kLargeBytes}, kSamples, [&] {
    return queued_us(ranks, 3,
                     [&](int) { copy_all<<<blocks, 512, 0, ranks.stream>>>(vectors(to), vectors(from), count); });
  });
  measure_together(ranks, {"hbm_read", who, 0, double(kLargeBytes)}, kSamples, [&] {
    return queued_us(ranks, 3,
                     [&](int) { read_all<<<blocks, 512, 0, ranks.stream>>>(vectors(to), vectors(from), count, 1); });
  });
  measure_together(ranks, {"device_copy", who, 0, double(kLargeBytes)}, kSamples, [&] {
    return queued_us(ranks, 3, [&](int) {
      check(cudaMemcpyAsync(to.data, from.data, kLargeBytes, cudaMemcpyDeviceToDevice, ranks.stream));
    });
  });
}

// A quarter of the L2 among all ranks, read again and again.
void measure_l2(const Ranks& ranks, Who who) {
  constexpr int kRounds = 200;
  size_t bytes = std::max<size_t>(size_t(ranks.device.l2CacheSize) / 4 / ranks.per_node, 1 << 20) / 4096 * 4096;
  DeviceBytes from(bytes);
  measure_together(ranks, {"l2_read", who, double(bytes), double(bytes) * kRounds}, kSamples, [&] {
    return queued_us(ranks, 5, [&](int) {
      read_all<<<ranks.sm_count * 2, 1024, 0, ranks.stream>>>(vectors(from), vectors(from), bytes / sizeof(uint4),
                                                              kRounds);
    });
  });
}

// Follows a chain of offsets.
__global__ void chase(const volatile unsigned* chain, int steps, unsigned* place) {
  unsigned at = *place;
  for (int i = 0; i < steps; i++) at = chain[at];
  *place = at;  // The next kernel goes on from here: it must not meet what this one left in the L2.
}

__global__ void make_chain(unsigned* chain, unsigned length, unsigned stride) {
  unsigned step = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += step) chain[i] = (i + stride) % length;
}

// Of loads that wait for each other, in memory of so many bytes.
void measure_load_latency(const Ranks& ranks, Who who, size_t bytes) {
  constexpr int kSteps = 2000;
  constexpr unsigned kStride = 16411;  // Words: a prime, and more than a page of 64 KiB apart.
  DeviceBytes memory(bytes), place(sizeof(unsigned));
  auto* chain = reinterpret_cast<unsigned*>(memory.data);
  make_chain<<<ranks.sm_count, 1024, 0, ranks.stream>>>(chain, static_cast<unsigned>(bytes / sizeof(unsigned)),
                                                        kStride);
  check(cudaStreamSynchronize(ranks.stream));
  measure_each(ranks, {"load_latency", who, double(bytes)}, kSamples, [&] {
    auto* at = reinterpret_cast<unsigned*>(place.data);
    return queued_us(ranks, 1, [&](int) { chase<<<1, 1, 0, ranks.stream>>>(chain, kSteps, at); }) / kSteps;
  });
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  for (Who who : {Who::All, Who::Alone}) {
    measure_fp32(ranks, who);
    measure_tensor(ranks, who);
    measure_hbm(ranks, who);
    measure_l2(ranks, who);
    for (size_t bytes : {size_t{2} << 20, kLargeBytes}) measure_load_latency(ranks, who, bytes);
  }
  check(cudaGetLastError());
}
