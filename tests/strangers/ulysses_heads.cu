// stranger: Ulysses: from tokens cut over ranks to heads cut over ranks and back, by two all-to-alls around a per-head softmax
// ranks: 4
// arguments: 16 4 8
// expect-output: heads: PASS
// convert: lsa
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cfg {
int seq = 4096, heads = 32, dim = 64;
}

struct Context {
  int rank = -1, world = 0;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
};

static Context& context() {
  static Context instance;
  return instance;
}

#define CUDA(call) if (cudaError_t e = (call)) { fprintf(stderr, "rank %d: %s: %s\n", context().rank, #call, cudaGetErrorString(e)); exit(1); }
#define NCCL(call) if (ncclResult_t e = (call)) { fprintf(stderr, "rank %d: %s: %s\n", context().rank, #call, ncclGetErrorString(e)); exit(1); }

// [tokens][heads][dim] to [peer][tokens][heads of the peer][dim], and the inverse.
__global__ void by_head(float* out, const float* in, int tokens, int heads, int dim, int world, bool inverse) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= tokens * heads * dim) return;
  int d = i % dim, h = i / dim % heads, t = i / (dim * heads), per = heads / world;
  int packed = ((h / per * tokens + t) * per + h % per) * dim + d;
  if (inverse) out[i] = in[packed];
  else out[packed] = in[i];
}

// Over the whole sequence, for each head and dimension that this rank has: [seq][heads of this rank][dim].
__global__ void softmax_over_sequence(float* x, int seq, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float top = -1e30f, sum = 0.f;
  for (int t = 0; t < seq; ++t) top = fmaxf(top, x[t * columns + c]);
  for (int t = 0; t < seq; ++t) sum += __expf(x[t * columns + c] - top);
  for (int t = 0; t < seq; ++t) x[t * columns + c] = __expf(x[t * columns + c] - top) / sum;
}

void exchange(const float* from, float* to, size_t block) {
  Context& c = context();
  NCCL(ncclGroupStart());
  for (int p = 0; p < c.world; ++p) {
    NCCL(ncclSend(from + p * block, block, ncclFloat, p, c.comm, c.stream));
    NCCL(ncclRecv(to + p * block, block, ncclFloat, p, c.comm, c.stream));
  }
  NCCL(ncclGroupEnd());
}

float input(int t, int h, int d) { return std::cos(0.3f * t + 0.9f * h + 0.2f * d); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Context& c = context();
  MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &c.world);
  if (argc == 4) cfg::seq = atoi(argv[1]), cfg::heads = atoi(argv[2]), cfg::dim = atoi(argv[3]);
  CUDA(cudaSetDevice(c.rank));
  ncclUniqueId id;
  if (c.rank == 0) NCCL(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  NCCL(ncclCommInitRank(&c.comm, c.world, id, c.rank));
  CUDA(cudaStreamCreate(&c.stream));

  const int tokens = cfg::seq / c.world, total = tokens * cfg::heads * cfg::dim, per = cfg::heads / c.world * cfg::dim;
  const size_t block = (size_t)total / c.world;
  std::vector<float> host(total);
  for (int i = 0; i < total; ++i)
    host[i] = input(c.rank * tokens + i / (cfg::dim * cfg::heads), i / cfg::dim % cfg::heads, i % cfg::dim);
  float *x, *packed, *mine;
  CUDA(cudaMalloc(&x, total * sizeof(float)));
  CUDA(cudaMalloc(&packed, total * sizeof(float)));
  CUDA(cudaMalloc(&mine, total * sizeof(float)));
  CUDA(cudaMemcpy(x, host.data(), total * sizeof(float), cudaMemcpyHostToDevice));
  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  CUDA(cudaEventRecord(begin, c.stream));
  by_head<<<(total + 127) / 128, 128, 0, c.stream>>>(packed, x, tokens, cfg::heads, cfg::dim, c.world, false);
  exchange(packed, mine, block);
  softmax_over_sequence<<<(per + 31) / 32, 32, 0, c.stream>>>(mine, cfg::seq, per);
  exchange(mine, packed, block);
  by_head<<<(total + 127) / 128, 128, 0, c.stream>>>(x, packed, tokens, cfg::heads, cfg::dim, c.world, true);
  CUDA(cudaEventRecord(end, c.stream));
  CUDA(cudaMemcpyAsync(host.data(), x, total * sizeof(float), cudaMemcpyDeviceToHost, c.stream));
  CUDA(cudaStreamSynchronize(c.stream));

  int bad = 0, all;
  for (int h = 0; h < cfg::heads; ++h)
    for (int d = 0; d < cfg::dim; d += 3) {
      double sum = 0;
      for (int t = 0; t < cfg::seq; ++t) sum += std::exp((double)input(t, h, d));
      for (int t = 0; t < tokens; ++t)
        bad += std::fabs(std::exp((double)input(c.rank * tokens + t, h, d)) / sum - host[(t * cfg::heads + h) * cfg::dim + d]) > 1e-4;
    }
  MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (c.rank == 0) printf("heads: %s\n", all ? "FAIL" : "PASS");
  CUDA(cudaFree(x));
  CUDA(cudaFree(packed));
  CUDA(cudaFree(mine));
  CUDA(cudaEventDestroy(begin));
  CUDA(cudaEventDestroy(end));
  CUDA(cudaStreamDestroy(c.stream));
  NCCL(ncclCommDestroy(c.comm));
  MPI_Finalize();
  return all != 0;
}
