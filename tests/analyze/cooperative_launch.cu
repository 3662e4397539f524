// A grid-wide solver launched cooperatively: its arguments go through an array of addresses.
// expect: resources relax shared=0 barriers=0 grid-barrier
// expect: kernel relax x:read_write rhs:read residual:write
// expect: launch relax grid=blocks block=dim3(128) shared=0 stream=stream cooperative
// expect-count: 1 launch relax
// expect: site s1 ncclAllReduce send=residual recv=total count=1 type=ncclDouble comm=comm stream=stream op=ncclSum
// expect: loop s1 iterations
// expect: producer s1 relax residual
// expect: consumer s1 cudaMemcpyAsync total
// expect: copy cudaMemcpyAsync device_to_host bytes=sizeof(double)
// expect: convertible s1 yes
// expect-not: producer s1 relax x
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

namespace cg = cooperative_groups;

__global__ void relax(double* x, const double* rhs, double* residual, int n, int sweeps) {
  cg::grid_group grid = cg::this_grid();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int i = grid.thread_rank(); i < n; i += grid.size()) x[i] = 0.5 * (x[i] + rhs[i]);
    grid.sync();
  }
  if (grid.thread_rank() == 0) *residual = x[0] - rhs[0];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);

  int n = 1 << 22, sweeps = 16, blocks = 132;
  double *x, *rhs, *residual, *total;
  cudaMalloc(&x, n * sizeof(double));
  cudaMalloc(&rhs, n * sizeof(double));
  cudaMalloc(&residual, sizeof(double));
  cudaMalloc(&total, sizeof(double));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  double norm = 1;
  while (norm > 1e-6) {
    void* arguments[] = {&x, &rhs, &residual, &n, &sweeps};
    cudaLaunchCooperativeKernel((void*)relax, blocks, dim3(128), arguments, 0, stream);
    ncclAllReduce(residual, total, 1, ncclDouble, ncclSum, comm, stream);
    cudaMemcpyAsync(&norm, total, sizeof(double), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
  }
  MPI_Finalize();
}
