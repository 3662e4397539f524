// stranger: embedding tables sharded by row: indices go out, rows come back, both by all-to-all with padded blocks of equal length
// ranks: 4
// arguments: rows=64 batch=32 dim=8
// expect-output: lookup matches table
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

static struct { const char* name; int value; } config[] = {{"rows", 1 << 16}, {"batch", 4096}, {"dim", 64}};
static int get(const char* name) {
  for (auto& c : config)
    if (!strcmp(c.name, name)) return c.value;
  abort();
}

#define CHK(e) do { if (int code = int(e)) { fprintf(stderr, "%s:%d %s %d\n", __FILE__, __LINE__, #e, code); exit(code); } } while (0)

__global__ void fill_table(float* table, int rows, int dim, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * dim) table[i] = (float)(first + i / dim) + 0.001f * (i % dim);
}

// Requests that are not used hold -1; the row that answers them is zero.
__global__ void lookup(const int* wanted, const float* table, float* answer, int count, int dim, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * dim) return;
  int row = wanted[i / dim];
  answer[i] = row < 0 ? 0.0f : table[(row - first) * dim + i % dim];
}

__global__ void place(const float* rows, const int* slot_of, float* out, int batch, int dim) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < batch * dim) out[i] = rows[slot_of[i / dim] * dim + i % dim];
}

static void all_to_all(const void* send, void* recv, size_t count, ncclDataType_t type, size_t width, int ranks, ncclComm_t comm, cudaStream_t s) {
  CHK(ncclGroupStart());
  for (int p = 0; p < ranks; ++p) {
    CHK(ncclSend((const char*)send + p * count * width, count, type, p, comm, s));
    CHK(ncclRecv((char*)recv + p * count * width, count, type, p, comm, s));
  }
  CHK(ncclGroupEnd());
}

int main(int argc, char** argv) {
  CHK(MPI_Init(&argc, &argv));
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 1; i < argc; ++i)
    for (auto& c : config)
      if (!strncmp(argv[i], c.name, strlen(c.name)) && argv[i][strlen(c.name)] == '=') c.value = atoi(strchr(argv[i], '=') + 1);
  const int rows = get("rows") / ranks, batch = get("batch"), dim = get("dim");
  CHK(cudaSetDevice(rank));
  ncclUniqueId id;
  if (!rank) CHK(ncclGetUniqueId(&id));
  CHK(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));
  ncclComm_t comm;
  CHK(ncclCommInitRank(&comm, ranks, id, rank));
  cudaStream_t stream;
  CHK(cudaStreamCreate(&stream));

  // As many requests to each rank as the batch is long, so that any batch fits.
  std::vector<int> index(batch), request((size_t)ranks * batch, -1), used(ranks, 0), slot(batch);
  for (int b = 0; b < batch; ++b) {
    index[b] = (b * 31 + rank * 17 + b * b) % (rows * ranks);
    int owner = index[b] / rows;
    slot[b] = owner * batch + used[owner];
    request[owner * batch + used[owner]++] = index[b];
  }
  const size_t slots = (size_t)ranks * batch;
  float *table, *answer, *arrived, *out;
  int *d_request, *d_wanted, *d_slot;
  CHK(cudaMalloc(&table, (size_t)rows * dim * sizeof(float)));
  CHK(cudaMalloc(&answer, slots * dim * sizeof(float)));
  CHK(cudaMalloc(&arrived, slots * dim * sizeof(float)));
  CHK(cudaMalloc(&out, (size_t)batch * dim * sizeof(float)));
  CHK(cudaMalloc(&d_request, slots * sizeof(int)));
  CHK(cudaMalloc(&d_wanted, slots * sizeof(int)));
  CHK(cudaMalloc(&d_slot, batch * sizeof(int)));
  CHK(cudaMemcpy(d_request, request.data(), slots * sizeof(int), cudaMemcpyHostToDevice));
  CHK(cudaMemcpy(d_slot, slot.data(), batch * sizeof(int), cudaMemcpyHostToDevice));
  fill_table<<<(rows * dim + 127) / 128, 128, 0, stream>>>(table, rows, dim, rank * rows);

  cudaEvent_t e[2];
  for (auto& event : e) CHK(cudaEventCreate(&event));
  for (int it = -1; it < 2; ++it) {
    if (it == 0) CHK(cudaEventRecord(e[0], stream));
    all_to_all(d_request, d_wanted, batch, ncclInt, sizeof(int), ranks, comm, stream);
    lookup<<<(slots * dim + 127) / 128, 128, 0, stream>>>(d_wanted, table, answer, slots, dim, rank * rows);
    all_to_all(answer, arrived, (size_t)batch * dim, ncclFloat, sizeof(float), ranks, comm, stream);
    place<<<(batch * dim + 127) / 128, 128, 0, stream>>>(arrived, d_slot, out, batch, dim);
  }
  CHK(cudaEventRecord(e[1], stream));
  CHK(cudaEventSynchronize(e[1]));
  float ms;
  CHK(cudaEventElapsedTime(&ms, e[0], e[1]));

  std::vector<float> host((size_t)batch * dim);
  CHK(cudaMemcpy(host.data(), out, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < batch * dim; ++i) wrong += host[i] != (float)index[i / dim] + 0.001f * (i % dim);
  CHK(MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  if (!rank) printf("%.3f ms, lookup %s table\n", ms / 2, wrong ? "DIFFERS from" : "matches");
  for (void* p : {(void*)table, (void*)answer, (void*)arrived, (void*)out, (void*)d_request, (void*)d_wanted, (void*)d_slot}) cudaFree(p);
  cudaEventDestroy(e[0]);
  cudaEventDestroy(e[1]);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return wrong != 0;
}
