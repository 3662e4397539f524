// stranger: attention over a sequence that is cut over the ranks: keys and values travel round the ring, softmax is kept online
// ranks: 4
// arguments: seq=64 dim=16
// convert: lsa
// expect-output: attention: PASS
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <vector>

#define CHECK(x)                                                                     \
  do {                                                                               \
    if (auto e = (x); e != 0) {                                                      \
      std::cerr << #x << " returned " << (int)e << " at line " << __LINE__ << "\n"; \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                  \
    }                                                                                \
  } while (0)

struct Options {
  int seq = 4096;
  int dim = 64;
  int repeats = 2;
};

Options read_options(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    if (!strncmp(argv[i], "seq=", 4)) o.seq = std::atoi(argv[i] + 4);
    else if (!strncmp(argv[i], "dim=", 4)) o.dim = std::atoi(argv[i] + 4);
    else if (!strncmp(argv[i], "repeats=", 8)) o.repeats = std::atoi(argv[i] + 8);
  }
  return o;
}

// One thread a query row; m, l and acc are the running maximum, sum and output.
__global__ void attend(const float* __restrict__ q, const float* __restrict__ kv, float* m, float* l, float* acc, int rows,
                       int keys, int dim, float scale) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* k = kv;
  const float* v = kv + keys * dim;
  float mi = m[row], li = l[row];
  for (int j = 0; j < keys; ++j) {
    float s = 0.f;
    for (int d = 0; d < dim; ++d) s += q[row * dim + d] * k[j * dim + d];
    s *= scale;
    float mn = fmaxf(mi, s), old = __expf(mi - mn), p = __expf(s - mn);
    for (int d = 0; d < dim; ++d) acc[row * dim + d] = acc[row * dim + d] * old + p * v[j * dim + d];
    li = li * old + p;
    mi = mn;
  }
  m[row] = mi;
  l[row] = li;
}

__global__ void finish(float* out, const float* acc, const float* l, int rows, int dim) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * dim) out[i] = acc[i] / l[i / dim];
}

__global__ void reset(float* m, float* l, float* acc, int rows, int dim) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) m[i] = -1e30f, l[i] = 0.f;
  if (i < rows * dim) acc[i] = 0.f;
}

float sample(int which, int row, int d) { return std::sin(0.37f * which + 0.11f * row + 0.53f * d); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, world;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  Options opt = read_options(argc, argv);
  int devices = 1;
  CHECK(cudaGetDeviceCount(&devices));
  CHECK(cudaSetDevice(rank % devices));
  ncclUniqueId id{};
  if (rank == 0) CHECK(ncclGetUniqueId(&id));
  CHECK(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));
  ncclComm_t comm = nullptr;
  CHECK(ncclCommInitRank(&comm, world, id, rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));

  const int rows = opt.seq / world, dim = opt.dim;
  const size_t kv_count = 2ull * rows * dim;
  std::vector<float> hq(rows * dim), hkv(kv_count), hout(rows * dim);
  for (int r = 0; r < rows; ++r)
    for (int d = 0; d < dim; ++d) {
      hq[r * dim + d] = sample(0, rank * rows + r, d);
      hkv[r * dim + d] = sample(1, rank * rows + r, d);
      hkv[(rows + r) * dim + d] = sample(2, rank * rows + r, d);
    }
  float *q, *kv[2], *m, *l, *acc, *out;
  CHECK(cudaMalloc(&q, rows * dim * sizeof(float)));
  CHECK(cudaMalloc(&kv[0], kv_count * sizeof(float)));
  CHECK(cudaMalloc(&kv[1], kv_count * sizeof(float)));
  CHECK(cudaMalloc(&m, rows * sizeof(float)));
  CHECK(cudaMalloc(&l, rows * sizeof(float)));
  CHECK(cudaMalloc(&acc, rows * dim * sizeof(float)));
  CHECK(cudaMalloc(&out, rows * dim * sizeof(float)));
  CHECK(cudaMemcpy(q, hq.data(), hq.size() * sizeof(float), cudaMemcpyHostToDevice));

  const int next = (rank + 1) % world, prev = (rank - 1 + world) % world;
  const float scale = 1.0f / std::sqrt((float)dim);
  double best = 1e30;
  for (int rep = 0; rep < opt.repeats; ++rep) {
    CHECK(cudaMemcpy(kv[0], hkv.data(), kv_count * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    auto t0 = std::chrono::high_resolution_clock::now();
    reset<<<(rows * dim + 127) / 128, 128, 0, stream>>>(m, l, acc, rows, dim);
    for (int step = 0; step < world; ++step) {
      float* cur = kv[step & 1];
      float* nxt = kv[(step + 1) & 1];
      attend<<<(rows + 31) / 32, 32, 0, stream>>>(q, cur, m, l, acc, rows, rows, dim, scale);
      if (step + 1 < world) {
        CHECK(ncclGroupStart());
        CHECK(ncclSend(cur, kv_count, ncclFloat, next, comm, stream));
        CHECK(ncclRecv(nxt, kv_count, ncclFloat, prev, comm, stream));
        CHECK(ncclGroupEnd());
      }
    }
    finish<<<(rows * dim + 127) / 128, 128, 0, stream>>>(out, acc, l, rows, dim);
    CHECK(cudaStreamSynchronize(stream));
    std::chrono::duration<double, std::milli> took = std::chrono::high_resolution_clock::now() - t0;
    best = std::min(best, took.count());
  }

  CHECK(cudaMemcpy(hout.data(), out, hout.size() * sizeof(float), cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    std::vector<double> p(opt.seq), ref(dim, 0.0);
    double sum = 0;
    for (int j = 0; j < opt.seq; ++j) {
      double s = 0;
      for (int d = 0; d < dim; ++d) s += sample(0, rank * rows + r, d) * sample(1, j, d);
      p[j] = std::exp(s * scale);
      sum += p[j];
    }
    for (int j = 0; j < opt.seq; ++j)
      for (int d = 0; d < dim; ++d) ref[d] += p[j] / sum * sample(2, j, d);
    for (int d = 0; d < dim; ++d) worst = std::max(worst, std::fabs(ref[d] - hout[r * dim + d]));
  }
  double all = 0;
  MPI_Reduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) std::cout << "best " << best << " ms, attention: " << (all < 1e-3 ? "PASS" : "FAIL") << std::endl;
  for (float* p : {q, kv[0], kv[1], m, l, acc, out}) cudaFree(p);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
}
