// What kernels do through the functions of CUDA and NCCL, and in assembly.
#include <gtest/gtest.h>

#include "frontend/kernels_testing.h"

namespace cuco::frontend {
namespace {

std::string described(const std::string& code) { return describe_kernels(code, CUCO_SOURCE_DIR); }

TEST(KernelApi, SharedMemoryIsNoPointerOfTheKernel) {
  EXPECT_EQ(
      described("__device__ void fill(float* p) { p[0] = 1; }\n"
                "__global__ void k(float* out) { __shared__ float tile[32][33]; extern __shared__ char dynamic[];\n"
                "  fill(&tile[0][0]); fill(reinterpret_cast<float*>(dynamic)); float* p = tile[1]; p[0] = 2;\n"
                "  out[0] = p[1]; }"),
      "k: out write; shared tile=4224 dynamic=extern");
}

TEST(KernelApi, SharedMemoryOfCalleesCounts) {
  EXPECT_EQ(described("__device__ float sum(const float* p) { __shared__ double part[8]; part[0] = p[0];\n"
                      "  __syncthreads(); return part[1]; }\n"
                      "__global__ void k(float* out, const float* in) { out[0] = sum(in) + sum(in + 1); }"),
            "k: out write, in read; shared part=64; barriers 1");
}

TEST(KernelApi, BarriersOfEverySpellingCount) {
  EXPECT_EQ(described("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
                      "__global__ void k(int* n) { __syncthreads(); n[0] = __syncthreads_or(n[1]); __barrier_sync(1);\n"
                      "  cg::thread_block block = cg::this_thread_block(); block.sync(); cg::sync(block);\n"
                      "  asm volatile(\"bar.sync 1, 64;\" ::: \"memory\"); __syncwarp(); __threadfence(); }"),
            "k: n read_write; barriers 6");
}

TEST(KernelApi, BarrierObjectCountsAndWarpTileDoesNot) {
  EXPECT_EQ(described("#include <cooperative_groups.h>\n#include <cuda/barrier>\nnamespace cg = cooperative_groups;\n"
                      "__global__ void k(int* n) { extern __shared__ char raw[];\n"
                      "  reinterpret_cast<cuda::barrier<cuda::thread_scope_block>*>(raw)->arrive_and_wait();\n"
                      "  cg::tiled_partition<32>(cg::this_thread_block()).sync(); }"),
            "k: n untouched; shared raw=extern; barriers 1");
}

constexpr const char* kGin =
    "#include <nccl_device.h>\n"
    "__device__ void send(ncclDevComm comm, ncclWindow_t w) {\n"
    "  ncclGin(comm, 0).put(ncclTeamWorld(comm), 1, w, 0, w, 0, 64); }\n";

TEST(KernelApi, CommunicationInOneArmOfABranchOnBlocksIsOfSome) {
  EXPECT_EQ(
      described(std::string(kGin) + "__global__ void k(ncclDevComm comm, ncclWindow_t w, float* out, int senders) {\n"
                                    "  const bool sends = blockIdx.x < senders;\n"
                                    "  if (sends) send(comm, w); else out[blockIdx.x] = 1; }"),
      "k: w read_write, out write; comm gin_put ncclGin::put@3 by some blocks");
}

TEST(KernelApi, CommunicationBehindTheWorkOfOtherBlocksIsOfSome) {
  EXPECT_EQ(described(std::string(kGin) +
                      "__global__ void k(ncclDevComm comm, ncclWindow_t w, float* out, int senders) {\n"
                      "  if (blockIdx.x >= senders) { out[blockIdx.x] = 1; return; }\n  send(comm, w); }"),
            "k: w read_write, out write; comm gin_put ncclGin::put@3 by some blocks");
}

TEST(KernelApi, CommunicationOfTheLastBlockAndInsideBoundsIsOfAll) {
  EXPECT_EQ(described(std::string(kGin) + "__global__ void k(ncclDevComm comm, ncclWindow_t w, float* out, int n) {\n"
                                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                          "  if (blockIdx.x >= n) return;\n  if (i < n) out[i] = 1; else out[i] = 2;\n"
                                          "  if (blockIdx.x == 0) send(comm, w); }"),
            "k: w read_write, out write; comm gin_put ncclGin::put@3");
}

TEST(KernelApi, GridBarrierIsNoBlockBarrier) {
  EXPECT_EQ(described("#include <cooperative_groups.h>\n"
                      "__global__ void k(int* n) { n[0] = 1; cooperative_groups::this_grid().sync(); }"),
            "k: n write; grid barrier");
}

TEST(KernelApi, LaunchBoundsAreWrittenTextOrTheValueOfMacrosAndTemplateParameters) {
  EXPECT_EQ(described("#define THREADS 256\nconstexpr int kThreads = 32;\n"
                      "__global__ void __launch_bounds__(THREADS, kThreads / 8) a(int* n) {}\n"
                      "__global__ __launch_bounds__(128, 2) void b(int* n) {}\n"
                      "template <int N> __global__ void __launch_bounds__(N) c(int* n) {}\n"
                      "void run() { c<64><<<1, 64>>>(0); }"),
            "a: n untouched; launch_bounds(256, kThreads / 8)\nb: n untouched; launch_bounds(128, 2)\n"
            "c<64>: n untouched; launch_bounds(64)");
}

TEST(KernelApi, AtomicsReadAndWrite) {
  EXPECT_EQ(
      described("#include <cuda/atomic>\n"
                "__global__ void k(int* a, int* b, int* c, int* d, cuda::atomic<int>* e) {\n"
                "  atomicAdd(a, 1); atomicCAS(&b[1], 0, 1); cuda::atomic_ref<int> count(c[2]); count.fetch_add(1);\n"
                "  cuda::atomic_ref<int>(*d).store(1); e->load(); }"),
      "k: a read_write, b read_write, c read_write, d write, e read");
}

TEST(KernelApi, CacheHintsReadOrWrite) {
  EXPECT_EQ(
      described("__global__ void k(float* a, const float* b, const float* c) { __stcg(a, __ldg(b) + __ldcs(c)); }"),
      "k: a write, b read, c read");
}

TEST(KernelApi, BlockCopiesWriteTheFirstAndReadTheSecond) {
  EXPECT_EQ(described("#include <cooperative_groups.h>\n#include <cooperative_groups/memcpy_async.h>\n"
                      "__global__ void k(float* a, float* b, float* c, const float* d) { memcpy(a, b, 4);\n"
                      "  memset(c, 0, 4); __shared__ float tile[8];\n"
                      "  cooperative_groups::memcpy_async(cooperative_groups::this_thread_block(), tile, d, 32); }"),
            "k: a write, b read, c write, d read; shared tile=32");
}

TEST(KernelApi, MatrixFragmentsLoadAndStore) {
  EXPECT_EQ(described("#include <mma.h>\nusing namespace nvcuda;\n"
                      "__global__ void k(float* c, const half* a) {\n"
                      "  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;\n"
                      "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum; wmma::load_matrix_sync(x, a, 16);\n"
                      "  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major); }"),
            "k: c write, a read");
}

TEST(KernelApi, PrintfReadsNothingThroughPointers) {
  EXPECT_EQ(described("__global__ void k(float* a, const char* text) { printf(\"%p %s\", a, text); }"),
            "k: a untouched, text untouched");
}

TEST(KernelApi, UsersFunctionOfKnownNameIsFollowed) {
  EXPECT_EQ(described("__device__ float atomicReadSlow(float* p) { return *p; }\n"
                      "__global__ void k(float* a, float* b) { *b = atomicReadSlow(a); }"),
            "k: a read, b write");
}

TEST(KernelApi, KnownAssemblyTellsItsAccesses) {
  EXPECT_EQ(described("__global__ void k(float* a, const float* b, int* c, const float4* d) {\n"
                      "  float v; __shared__ float4 tile[1]; unsigned to = (unsigned)__cvta_generic_to_shared(tile);\n"
                      "  asm volatile(\"ld.global.nc.f32 %0, [%1+4];\" : \"=f\"(v) : \"l\"(b));\n"
                      "  asm volatile(\"@p st.global.f32 [%[to]], %[v];\" :: [to] \"l\"(a), [v] \"f\"(v));\n"
                      "  asm volatile(\"red.release.gpu.global.add.s32 [%0], %1;\" :: \"l\"(c), \"r\"(1));\n"
                      "  asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" :: \"r\"(to), \"l\"(d)); }"),
            "k: a write, b read, c read_write, d read; shared tile=16");
}

TEST(KernelApi, UnknownAssemblyIsAssumedToReadAndWrite) {
  EXPECT_EQ(described("__global__ void k(float* a, float* b) {\n"
                      "  asm volatile(\"frobnicate.global [%0];\" :: \"l\"(a)); (void)b; }"),
            "k: a read_write?, b untouched");
}

TEST(KernelApi, AssemblyThatConvertsAnAddressCarriesIt) {
  EXPECT_EQ(described("__global__ void k(float* a, float* out) { unsigned long long g;\n"
                      "  asm(\"cvta.to.global.u64 %0, %1;\" : \"=l\"(g) : \"l\"(a));\n"
                      "  asm volatile(\"ld.f32 %0, [%1];\" : \"=f\"(out[0]) : \"l\"(g)); }"),
            "k: a read, out write");
}

TEST(KernelApi, WindowsStandForTheirMemory) {
  EXPECT_EQ(described("#include <nccl_device.h>\n"
                      "__global__ void k(ncclWindow_t in, ncclWindow_t out, ncclWindow_t spare, ncclDevComm comm) {\n"
                      "  const float* from = (const float*)ncclGetLocalPointer(in, 0);\n"
                      "  for (int peer = 0; peer < comm.lsaSize; peer++)\n"
                      "    ((float*)ncclGetLsaPointer(out, 0, peer))[0] = from[0]; }"),
            "k: in read, out write, spare untouched; comm lsa_pointer ncclGetLsaPointer@5");
}

TEST(KernelApi, SymmetricPointersStandForTheirWindow) {
  EXPECT_EQ(described("#include <nccl_device.h>\n"
                      "__global__ void k(ncclSymPtr<float> a, ncclWindow_t w, ncclDevComm comm) {\n"
                      "  ncclSymPtr<float> b(w, 64); a.localPtr()[0] = (b + 4).peerPtr(1)[0];\n"
                      "  *a.lsaMultimemPtr(comm) = 1; }"),
            "k: a write, w read; comm lsa_pointer ncclSymPtr::peerPtr@3, multimem ncclSymPtr::lsaMultimemPtr@4");
}

TEST(KernelApi, GinPutReadsItsSourceAndWritesItsTarget) {
  EXPECT_EQ(described("#include <nccl_device.h>\n"
                      "__device__ void send(ncclGin gin, ncclTeam team, ncclWindow_t to, ncclWindow_t from) {\n"
                      "  gin.put(team, 1, to, 0, from, 0, 4, ncclGin_SignalInc{0}); }\n"
                      "__global__ void k(ncclWindow_t a, ncclWindow_t b, ncclWindow_t c, ncclDevComm comm) {\n"
                      "  ncclGin gin(comm, 0); ncclTeam world = ncclTeamWorld(comm); send(gin, world, b, a);\n"
                      "  gin.putValue(world, 1, c, 0, 7); gin.waitSignal(ncclCoopCta(), 0, 1);\n"
                      "  gin.flush(ncclCoopCta()); }"),
            "k: a read, b write, c write; comm gin_put ncclGin::put@3, gin_put ncclGin::putValue@6, "
            "gin_wait ncclGin::waitSignal@6, gin_flush ncclGin::flush@7");
}

TEST(KernelApi, TeamBarriersAreCommunicationAndNoBlockBarriers) {
  EXPECT_EQ(described("#include <nccl_device.h>\n"
                      "__global__ void k(ncclDevComm comm) { ncclGin gin(comm, 0);\n"
                      "  ncclLsaBarrierSession<ncclCoopCta> lsa(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);\n"
                      "  lsa.sync(ncclCoopCta(), cuda::memory_order_relaxed);\n"
                      "  ncclBarrierSession<ncclCoopCta> all(ncclCoopCta(), ncclTeamTagWorld(), gin, blockIdx.x);\n"
                      "  all.sync(ncclCoopCta(), cuda::memory_order_relaxed, ncclGinFenceLevel::Relaxed); }"),
            "k: ; comm lsa_barrier ncclLsaBarrierSession::sync@4, hybrid_barrier ncclBarrierSession::sync@6");
}

}  // namespace
}  // namespace cuco::frontend
