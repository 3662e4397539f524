// stranger: C with getopt and MPI_Cart: halves of a group are packed columns, the others rows of the grid itself
// ranks: 4
// arguments: -x 128 -y 96 -s 3 -w 1
// expect-output: mean 0.499943 ok
// convert: lsa gin
// share: all
/* heat2d: explicit heat equation on a 2-D process grid, halos by NCCL.
 * usage: heat2d [-x cols] [-y rows] [-s steps] [-w warmup] [-v]
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#define CUDA_OK(call)                                                                   \
  do {                                                                                  \
    cudaError_t err_ = (call);                                                          \
    if (err_ != cudaSuccess) {                                                          \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err_));     \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                     \
    }                                                                                   \
  } while (0)
#define NCCL_OK(call)                                                                   \
  do {                                                                                  \
    ncclResult_t res_ = (call);                                                         \
    if (res_ != ncclSuccess) {                                                          \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, ncclGetErrorString(res_));     \
      MPI_Abort(MPI_COMM_WORLD, 2);                                                     \
    }                                                                                   \
  } while (0)

enum side { WEST, EAST, NORTH, SOUTH, SIDES };

struct domain {
  int nx, ny;          /* interior points of this rank */
  int dims[2], pos[2]; /* process grid */
  int nb[SIDES];
  double *cur, *nxt;
  double *sbuf[2], *rbuf[2]; /* packed columns: west, east */
};

static int opt_x = 4096, opt_y = 4096, opt_steps = 20, opt_warm = 2, opt_verify = 1;

static void usage(const char* me) {
  fprintf(stderr, "usage: %s [-x cols] [-y rows] [-s steps] [-w warmup] [-n (no check)]\n", me);
  exit(1);
}

static void parse(int argc, char** argv) {
  int c;
  while ((c = getopt(argc, argv, "x:y:s:w:nh")) != -1) {
    switch (c) {
      case 'x': opt_x = atoi(optarg); break;
      case 'y': opt_y = atoi(optarg); break;
      case 's': opt_steps = atoi(optarg); break;
      case 'w': opt_warm = atoi(optarg); break;
      case 'n': opt_verify = 0; break;
      default: usage(argv[0]);
    }
  }
}

__device__ __host__ static inline size_t at(int nx, int y, int x) { return (size_t)y * (nx + 2) + x; }

__global__ void fill(double* u, int nx, int ny, int gx0, int gy0) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx + 2 || y >= ny + 2) return;
  int gx = gx0 + x - 1, gy = gy0 + y - 1;
  u[at(nx, y, x)] = (double)((gx * 7 + gy * 13) % 101) * 0.01;
}

__global__ void step(const double* __restrict__ u, double* __restrict__ v, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x > nx || y > ny) return;
  double c = u[at(nx, y, x)];
  v[at(nx, y, x)] = c + 0.1 * (u[at(nx, y, x - 1)] + u[at(nx, y, x + 1)] + u[at(nx, y - 1, x)] + u[at(nx, y + 1, x)] - 4.0 * c);
}

__global__ void pack_cols(const double* u, double* west, double* east, int nx, int ny) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= ny) return;
  west[y] = u[at(nx, y + 1, 1)];
  east[y] = u[at(nx, y + 1, nx)];
}

__global__ void unpack_cols(double* u, const double* west, const double* east, int nx, int ny, int has_w, int has_e) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= ny) return;
  if (has_w) u[at(nx, y + 1, 0)] = west[y];
  if (has_e) u[at(nx, y + 1, nx + 1)] = east[y];
}

static void exchange(struct domain* d, double* u, ncclComm_t nccl, cudaStream_t st) {
  int nx = d->nx, ny = d->ny;
  pack_cols<<<(ny + 127) / 128, 128, 0, st>>>(u, d->sbuf[0], d->sbuf[1], nx, ny);
  NCCL_OK(ncclGroupStart());
  if (d->nb[WEST] >= 0) {
    NCCL_OK(ncclSend(d->sbuf[0], ny, ncclDouble, d->nb[WEST], nccl, st));
    NCCL_OK(ncclRecv(d->rbuf[0], ny, ncclDouble, d->nb[WEST], nccl, st));
  }
  if (d->nb[EAST] >= 0) {
    NCCL_OK(ncclSend(d->sbuf[1], ny, ncclDouble, d->nb[EAST], nccl, st));
    NCCL_OK(ncclRecv(d->rbuf[1], ny, ncclDouble, d->nb[EAST], nccl, st));
  }
  if (d->nb[NORTH] >= 0) {
    NCCL_OK(ncclSend(u + at(nx, 1, 1), nx, ncclDouble, d->nb[NORTH], nccl, st));
    NCCL_OK(ncclRecv(u + at(nx, 0, 1), nx, ncclDouble, d->nb[NORTH], nccl, st));
  }
  if (d->nb[SOUTH] >= 0) {
    NCCL_OK(ncclSend(u + at(nx, ny, 1), nx, ncclDouble, d->nb[SOUTH], nccl, st));
    NCCL_OK(ncclRecv(u + at(nx, ny + 1, 1), nx, ncclDouble, d->nb[SOUTH], nccl, st));
  }
  NCCL_OK(ncclGroupEnd());
  unpack_cols<<<(ny + 127) / 128, 128, 0, st>>>(u, d->rbuf[0], d->rbuf[1], nx, ny, d->nb[WEST] >= 0, d->nb[EAST] >= 0);
}

int main(int argc, char** argv) {
  int rank, size, steps, it;
  struct domain d;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  parse(argc, argv);

  memset(&d, 0, sizeof d);
  MPI_Dims_create(size, 2, d.dims);
  int periods[2] = {0, 0};
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, d.dims, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, d.pos);
  MPI_Cart_shift(grid, 1, 1, &d.nb[WEST], &d.nb[EAST]);
  MPI_Cart_shift(grid, 0, 1, &d.nb[NORTH], &d.nb[SOUTH]);
  if (opt_x % d.dims[1] || opt_y % d.dims[0]) {
    if (!rank) fprintf(stderr, "grid %dx%d does not divide over %dx%d ranks\n", opt_x, opt_y, d.dims[1], d.dims[0]);
    MPI_Finalize();
    return 1;
  }
  d.nx = opt_x / d.dims[1];
  d.ny = opt_y / d.dims[0];

  int ndev = 0;
  CUDA_OK(cudaGetDeviceCount(&ndev));
  MPI_Comm local;
  int lrank;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &local);
  MPI_Comm_rank(local, &lrank);
  CUDA_OK(cudaSetDevice(lrank % ndev));

  ncclUniqueId id;
  if (!rank) NCCL_OK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t nccl;
  NCCL_OK(ncclCommInitRank(&nccl, size, id, rank));
  cudaStream_t st;
  CUDA_OK(cudaStreamCreateWithFlags(&st, cudaStreamNonBlocking));

  size_t bytes = (size_t)(d.nx + 2) * (d.ny + 2) * sizeof(double);
  CUDA_OK(cudaMalloc((void**)&d.cur, bytes));
  CUDA_OK(cudaMalloc((void**)&d.nxt, bytes));
  for (it = 0; it < 2; it++) {
    CUDA_OK(cudaMalloc((void**)&d.sbuf[it], d.ny * sizeof(double)));
    CUDA_OK(cudaMalloc((void**)&d.rbuf[it], d.ny * sizeof(double)));
  }
  dim3 block(32, 8);
  dim3 all((d.nx + 2 + 31) / 32, (d.ny + 2 + 7) / 8), inner((d.nx + 31) / 32, (d.ny + 7) / 8);
  fill<<<all, block, 0, st>>>(d.cur, d.nx, d.ny, d.pos[1] * d.nx, d.pos[0] * d.ny);
  fill<<<all, block, 0, st>>>(d.nxt, d.nx, d.ny, d.pos[1] * d.nx, d.pos[0] * d.ny);

  double t0 = 0;
  steps = opt_warm + opt_steps;
  for (it = 0; it < steps; it++) {
    if (it == opt_warm) {
      CUDA_OK(cudaStreamSynchronize(st));
      MPI_Barrier(MPI_COMM_WORLD);
      t0 = MPI_Wtime();
    }
    exchange(&d, d.cur, nccl, st);
    step<<<inner, block, 0, st>>>(d.cur, d.nxt, d.nx, d.ny);
    double* t = d.cur;
    d.cur = d.nxt;
    d.nxt = t;
  }
  CUDA_OK(cudaStreamSynchronize(st));
  double sec = MPI_Wtime() - t0, worst;
  MPI_Reduce(&sec, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (!rank) printf("%d x %d, %d steps: %.3f ms/step\n", opt_x, opt_y, opt_steps, worst * 1e3 / opt_steps);

  int bad = 0;
  if (opt_verify) {
    double* h = (double*)malloc(bytes);
    double sum = 0, total;
    CUDA_OK(cudaMemcpy(h, d.cur, bytes, cudaMemcpyDeviceToHost));
    for (int y = 1; y <= d.ny; y++)
      for (int x = 1; x <= d.nx; x++) {
        double v = h[at(d.nx, y, x)];
        if (!isfinite(v) || v < -0.001 || v > 1.001) bad = 1;
        sum += v;
      }
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank) printf("mean %.6f %s\n", total / ((double)opt_x * opt_y), bad ? "WRONG" : "ok");
    free(h);
  }
  for (it = 0; it < 2; it++) {
    cudaFree(d.sbuf[it]);
    cudaFree(d.rbuf[it]);
  }
  cudaFree(d.cur);
  cudaFree(d.nxt);
  ncclCommDestroy(nccl);
  cudaStreamDestroy(st);
  MPI_Comm_free(&local);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return bad;
}
