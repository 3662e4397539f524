// stranger: a 2D FFT in slabs: rows by cuFFT, transpose by all-to-all, the other dimension by cuFFT, and the way back
// nvcc: -lcufft
// ranks: 4
// arguments: 16
// expect-output: round trip error below 1e-4
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <cufft.h>
#include <mpi.h>
#include <nccl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(x) { int check_result = (int)(x); if (check_result) { fprintf(stderr, "%s = %d (line %d)\n", #x, check_result, __LINE__); exit(1); } }

struct Slab {
  int n, rows, rank, ranks;
  ncclComm_t comm;
  cudaStream_t stream;
  cufftHandle plan;
  cufftComplex *data, *pack, *recv;
};

// [rows][n] to ranks blocks of [rows][rows], each transposed so that the receiver has its rows together.
__global__ void pack_kernel(cufftComplex* out, const cufftComplex* in, int rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * n) return;
  int r = i / n, c = i % n, peer = c / rows;
  out[(peer * rows + c % rows) * rows + r] = in[i];
}

__global__ void unpack_kernel(cufftComplex* out, const cufftComplex* in, int rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * n) return;
  int r = i / n, c = i % n, peer = c / rows;
  out[i] = in[(peer * rows + r) * rows + c % rows];
}

__global__ void scale_kernel(cufftComplex* x, int count, float s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) x[i] = make_cuFloatComplex(s * x[i].x, s * x[i].y);
}

void transpose(Slab& s) {
  int blocks = (s.rows * s.n + 63) / 64;
  size_t chunk = 2ull * s.rows * s.rows;
  pack_kernel<<<blocks, 64, 0, s.stream>>>(s.pack, s.data, s.rows, s.n);
  CHECK(ncclGroupStart());
  for (int peer = 0; peer < s.ranks; peer++) {
    CHECK(ncclSend((float*)s.pack + peer * chunk, chunk, ncclFloat, peer, s.comm, s.stream));
    CHECK(ncclRecv((float*)s.recv + peer * chunk, chunk, ncclFloat, peer, s.comm, s.stream));
  }
  CHECK(ncclGroupEnd());
  unpack_kernel<<<blocks, 64, 0, s.stream>>>(s.data, s.recv, s.rows, s.n);
}

void fft2d(Slab& s, int direction) {
  CHECK(cufftExecC2C(s.plan, s.data, s.data, direction));
  transpose(s);
  CHECK(cufftExecC2C(s.plan, s.data, s.data, direction));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Slab s{};
  s.n = argc > 1 ? atoi(argv[1]) : 4096;
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
  s.rows = s.n / s.ranks;
  CHECK(cudaSetDevice(s.rank));
  ncclUniqueId id;
  if (s.rank == 0) CHECK(ncclGetUniqueId(&id));
  CHECK(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));
  CHECK(ncclCommInitRank(&s.comm, s.ranks, id, s.rank));
  CHECK(cudaStreamCreate(&s.stream));
  CHECK(cufftPlan1d(&s.plan, s.n, CUFFT_C2C, s.rows));
  CHECK(cufftSetStream(s.plan, s.stream));

  size_t count = (size_t)s.rows * s.n, bytes = count * sizeof(cufftComplex);
  CHECK(cudaMalloc(&s.data, bytes));
  CHECK(cudaMalloc(&s.pack, bytes));
  CHECK(cudaMalloc(&s.recv, bytes));
  std::vector<cufftComplex> host(count), back(count);
  for (size_t i = 0; i < count; i++) host[i] = make_cuFloatComplex(sinf(0.3f * (s.rank * count + i)), 0.25f * (i % 3));
  CHECK(cudaMemcpyAsync(s.data, host.data(), bytes, cudaMemcpyHostToDevice, s.stream));

  cudaEvent_t t0, t1;
  CHECK(cudaEventCreate(&t0));
  CHECK(cudaEventCreate(&t1));
  CHECK(cudaEventRecord(t0, s.stream));
  fft2d(s, CUFFT_FORWARD);
  scale_kernel<<<(count + 63) / 64, 64, 0, s.stream>>>(s.data, count, 1.0f / s.n / s.n);
  // The forward pass leaves the spectrum transposed; the inverse begins there and ends in the first order.
  fft2d(s, CUFFT_INVERSE);
  CHECK(cudaEventRecord(t1, s.stream));
  CHECK(cudaMemcpyAsync(back.data(), s.data, bytes, cudaMemcpyDeviceToHost, s.stream));
  CHECK(cudaStreamSynchronize(s.stream));
  float ms, worst = 0, all = 0;
  CHECK(cudaEventElapsedTime(&ms, t0, t1));
  for (size_t i = 0; i < count; i++) worst = fmaxf(worst, fabsf(back[i].x - host[i].x) + fabsf(back[i].y - host[i].y));
  MPI_Reduce(&worst, &all, 1, MPI_FLOAT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (s.rank == 0) printf("%d x %d in %.3f ms, round trip error %s 1e-4\n", s.n, s.n, ms, all < 1e-4f ? "below" : "ABOVE");
  cufftDestroy(s.plan);
  cudaFree(s.data), cudaFree(s.pack), cudaFree(s.recv);
  cudaEventDestroy(t0), cudaEventDestroy(t1);
  cudaStreamDestroy(s.stream);
  ncclCommDestroy(s.comm);
  MPI_Finalize();
  return all < 1e-4f ? 0 : 1;
}
