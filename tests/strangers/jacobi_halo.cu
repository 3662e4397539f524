// stranger: a Jacobi solver in horizontal strips: getopt_long, two streams joined by events, halo rows by send and receive
// ranks: 4
// arguments: --nx 64 --ny 64 --iters 12
// expect-output: PASS
// convert: lsa gin
// case: --nx 4096 --ny 4096 --iters 10
// case-on: -n 4 --profile a100-2node-roce
// optimize: 3
// faster: 1.4
// share: all
#include <cuda_runtime.h>
#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

static int nx = 4096, ny = 4096, iters = 100;

static void parse(int argc, char** argv) {
  static const option names[] = {{"nx", required_argument, nullptr, 'x'},
                                 {"ny", required_argument, nullptr, 'y'},
                                 {"iters", required_argument, nullptr, 'i'},
                                 {nullptr, 0, nullptr, 0}};
  int c;
  while ((c = getopt_long(argc, argv, "x:y:i:", names, nullptr)) != -1) {
    switch (c) {
      case 'x': nx = atoi(optarg); break;
      case 'y': ny = atoi(optarg); break;
      case 'i': iters = atoi(optarg); break;
      default: fprintf(stderr, "usage: %s [--nx N] [--ny N] [--iters N]\n", argv[0]); exit(2);
    }
  }
}

#define CUDA_RT_CALL(call)                                                                        \
  {                                                                                               \
    cudaError_t status = call;                                                                    \
    if (cudaSuccess != status) {                                                                  \
      fprintf(stderr, "%s:%d: %s failed: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      exit(1);                                                                                    \
    }                                                                                             \
  }
#define NCCL_CALL(call)                                                                           \
  {                                                                                               \
    ncclResult_t status = call;                                                                   \
    if (ncclSuccess != status) {                                                                  \
      fprintf(stderr, "%s:%d: %s failed: %s\n", __FILE__, __LINE__, #call, ncclGetErrorString(status)); \
      exit(1);                                                                                    \
    }                                                                                             \
  }
__global__ void jacobi(float* a_new, const float* a, int first, int last, int width) {
  int y = first + blockIdx.y * blockDim.y + threadIdx.y;
  int x = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (y < last && x < width - 1)
    a_new[y * width + x] =
        0.25f * (a[y * width + x - 1] + a[y * width + x + 1] + a[(y - 1) * width + x] + a[(y + 1) * width + x]);
}

__global__ void fill(float* a, int rows, int width, int row0) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * width; i += gridDim.x * blockDim.x) {
    int gy = row0 + i / width, gx = i % width;
    a[i] = gx == 0 ? sinf(0.01f * gy) : gx == width - 1 ? 1.0f : 0.0f;
  }
}

static dim3 blocks(int rows, int width) { return dim3((width + 31) / 32, (rows + 3) / 4); }

static void launch(float* out, const float* in, int first, int last, cudaStream_t s) {
  if (last > first) jacobi<<<blocks(last - first, nx), dim3(32, 4), 0, s>>>(out, in, first, last, nx);
  CUDA_RT_CALL(cudaGetLastError());
}

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  parse(argc, argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int local = 0;
  MPI_Comm_rank(node, &local);
  MPI_Comm_free(&node);
  CUDA_RT_CALL(cudaSetDevice(local));

  ncclUniqueId id;
  if (rank == 0) NCCL_CALL(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  NCCL_CALL(ncclCommInitRank(&comm, size, id, rank));

  int rows = ny / size, top = (rank + size - 1) % size, bottom = (rank + 1) % size;
  size_t cells = (size_t)(rows + 2) * nx;
  float *a, *a_new;
  CUDA_RT_CALL(cudaMalloc(&a, cells * sizeof(float)));
  CUDA_RT_CALL(cudaMalloc(&a_new, cells * sizeof(float)));
  int row0 = rank * rows - 1;
  fill<<<64, 128>>>(a, rows + 2, nx, row0);
  fill<<<64, 128>>>(a_new, rows + 2, nx, row0);

  int lo, hi;
  CUDA_RT_CALL(cudaDeviceGetStreamPriorityRange(&lo, &hi));
  cudaStream_t compute, push;
  CUDA_RT_CALL(cudaStreamCreateWithPriority(&compute, cudaStreamDefault, lo));
  CUDA_RT_CALL(cudaStreamCreateWithPriority(&push, cudaStreamDefault, hi));
  cudaEvent_t inner_done, push_done;
  CUDA_RT_CALL(cudaEventCreateWithFlags(&inner_done, cudaEventDisableTiming));
  CUDA_RT_CALL(cudaEventCreateWithFlags(&push_done, cudaEventDisableTiming));
  CUDA_RT_CALL(cudaDeviceSynchronize());

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int it = 0; it < iters; it++) {
    CUDA_RT_CALL(cudaStreamWaitEvent(push, inner_done, 0));
    launch(a_new, a, 1, 2, push);
    if (rows > 1) launch(a_new, a, rows, rows + 1, push);
    NCCL_CALL(ncclGroupStart());
    NCCL_CALL(ncclRecv(a_new, nx, ncclFloat, top, comm, push));
    NCCL_CALL(ncclSend(a_new + (size_t)rows * nx, nx, ncclFloat, bottom, comm, push));
    NCCL_CALL(ncclRecv(a_new + (size_t)(rows + 1) * nx, nx, ncclFloat, bottom, comm, push));
    NCCL_CALL(ncclSend(a_new + nx, nx, ncclFloat, top, comm, push));
    NCCL_CALL(ncclGroupEnd());
    CUDA_RT_CALL(cudaEventRecord(push_done, push));
    launch(a_new, a, 2, rows, compute);
    CUDA_RT_CALL(cudaStreamWaitEvent(compute, push_done, 0));
    CUDA_RT_CALL(cudaEventRecord(inner_done, compute));
    std::swap(a, a_new);
  }
  CUDA_RT_CALL(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  double stop = MPI_Wtime();

  // The whole domain again on the host, periodic in y as the ring of strips is.
  std::vector<float> ref((size_t)ny * nx), next, mine(cells);
  for (int y = 0; y < ny; y++)
    for (int x = 0; x < nx; x++) ref[(size_t)y * nx + x] = x == 0 ? sinf(0.01f * y) : x == nx - 1 ? 1.0f : 0.0f;
  next = ref;
  for (int it = 0; it < iters; it++) {
    for (int y = 0; y < ny; y++)
      for (int x = 1; x < nx - 1; x++) {
        size_t up = (size_t)((y + ny - 1) % ny) * nx, down = (size_t)((y + 1) % ny) * nx, here = (size_t)y * nx;
        next[here + x] = 0.25f * (ref[here + x - 1] + ref[here + x + 1] + ref[up + x] + ref[down + x]);
      }
    std::swap(ref, next);
  }
  CUDA_RT_CALL(cudaMemcpy(mine.data(), a, cells * sizeof(float), cudaMemcpyDeviceToHost));
  int bad = 0, all = 0;
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < nx; x++)
      bad += fabsf(mine[(size_t)(y + 1) * nx + x] - ref[(size_t)(rank * rows + y) * nx + x]) > 1e-4f;
  MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d x %d, %d iterations: %.3f ms %s\n", nx, ny, iters, (stop - start) * 1e3, all ? "FAIL" : "PASS");

  CUDA_RT_CALL(cudaEventDestroy(inner_done));
  CUDA_RT_CALL(cudaEventDestroy(push_done));
  CUDA_RT_CALL(cudaStreamDestroy(compute));
  CUDA_RT_CALL(cudaStreamDestroy(push));
  CUDA_RT_CALL(cudaFree(a));
  CUDA_RT_CALL(cudaFree(a_new));
  NCCL_CALL(ncclCommDestroy(comm));
  MPI_Finalize();
  return all != 0;
}
