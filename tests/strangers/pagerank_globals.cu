// stranger: PageRank by blocks of vertices, everything in globals: ranks gathered each round, the lost mass reduced
// ranks: 4
// arguments: 64 8
// expect-output: ranks sum to 1 : PASS
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <sys/time.h>

int num_vertices, local_vertices, max_iter;
int myid, nprocs;
std::vector<int> row_ptr, col_idx, out_degree;
int *d_row_ptr, *d_col_idx, *d_degree;
float *d_rank_all, *d_rank_local, *d_dangling;
ncclComm_t comm;
cudaStream_t stream;

const float damping = 0.85f;

void cuda_ok(cudaError_t e, int line) { if (e) { printf("line %d: %s\n", line, cudaGetErrorString(e)); exit(1); } }
void nccl_ok(ncclResult_t e, int line) { if (e) { printf("line %d: %s\n", line, ncclGetErrorString(e)); exit(1); } }
#define C(x) cuda_ok(x, __LINE__)
#define N(x) nccl_ok(x, __LINE__)

double wtime()
{
    struct timeval tv;
    gettimeofday(&tv, NULL);
    return tv.tv_sec + 1e-6 * tv.tv_usec;
}

// Edge j -> (j*k+1) % n for k = 1..3; every 8th vertex has no way out.
bool has_edges(int v) { return v % 8 != 7; }

void build_graph()
{
    out_degree.assign(num_vertices, 0);
    row_ptr.assign(local_vertices + 1, 0);
    for (int v = 0; v < num_vertices; v++) if (has_edges(v)) out_degree[v] = 3;
    std::vector<std::vector<int>> in(local_vertices);
    for (int v = 0; v < num_vertices; v++)
        for (int k = 1; k <= out_degree[v]; k++) {
            int to = (int)(((long)v * k + k) % num_vertices) - myid * local_vertices;
            if (to >= 0 && to < local_vertices) in[to].push_back(v);
        }
    for (int v = 0; v < local_vertices; v++) {
        row_ptr[v + 1] = row_ptr[v] + (int)in[v].size();
        col_idx.insert(col_idx.end(), in[v].begin(), in[v].end());
    }
}

__global__ void lost_mass(const float *rank, const int *degree, float *dangling, int first, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && degree[first + i] == 0) atomicAdd(dangling, rank[first + i]);
}

__global__ void pull(const int *row, const int *col, const int *degree, const float *rank, const float *dangling, float *out,
                     int count, int total, float d)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= count) return;
    float sum = 0.0f;
    for (int e = row[v]; e < row[v + 1]; e++) sum += rank[col[e]] / degree[col[e]];
    out[v] = (1.0f - d) / total + d * (sum + *dangling / total);
}

__global__ void set_all(float *x, float v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = v;
}

void setup_device()
{
    C(cudaSetDevice(myid));
    ncclUniqueId id;
    if (myid == 0) N(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    N(ncclCommInitRank(&comm, nprocs, id, myid));
    C(cudaStreamCreate(&stream));
    C(cudaMalloc(&d_row_ptr, row_ptr.size() * sizeof(int)));
    C(cudaMalloc(&d_col_idx, (col_idx.size() + 1) * sizeof(int)));
    C(cudaMalloc(&d_degree, num_vertices * sizeof(int)));
    C(cudaMalloc(&d_rank_all, num_vertices * sizeof(float)));
    C(cudaMalloc(&d_rank_local, local_vertices * sizeof(float)));
    C(cudaMalloc(&d_dangling, sizeof(float)));
    C(cudaMemcpy(d_row_ptr, row_ptr.data(), row_ptr.size() * sizeof(int), cudaMemcpyHostToDevice));
    C(cudaMemcpy(d_col_idx, col_idx.data(), col_idx.size() * sizeof(int), cudaMemcpyHostToDevice));
    C(cudaMemcpy(d_degree, out_degree.data(), num_vertices * sizeof(int), cudaMemcpyHostToDevice));
}

void iterate()
{
    int blocks = (local_vertices + 63) / 64;
    set_all<<<(num_vertices + 63) / 64, 64, 0, stream>>>(d_rank_all, 1.0f / num_vertices, num_vertices);
    for (int it = 0; it < max_iter; it++) {
        C(cudaMemsetAsync(d_dangling, 0, sizeof(float), stream));
        lost_mass<<<blocks, 64, 0, stream>>>(d_rank_all, d_degree, d_dangling, myid * local_vertices, local_vertices);
        N(ncclAllReduce(d_dangling, d_dangling, 1, ncclFloat, ncclSum, comm, stream));
        pull<<<blocks, 64, 0, stream>>>(d_row_ptr, d_col_idx, d_degree, d_rank_all, d_dangling, d_rank_local, local_vertices,
                                        num_vertices, damping);
        N(ncclAllGather(d_rank_local, d_rank_all, local_vertices, ncclFloat, comm, stream));
    }
    C(cudaStreamSynchronize(stream));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &myid);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    num_vertices = argc > 1 ? atoi(argv[1]) : 1 << 20;
    max_iter = argc > 2 ? atoi(argv[2]) : 20;
    local_vertices = num_vertices / nprocs;
    build_graph();
    setup_device();
    double t = wtime();
    iterate();
    t = wtime() - t;
    std::vector<float> rank(num_vertices);
    C(cudaMemcpy(rank.data(), d_rank_all, num_vertices * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float r : rank) sum += r;
    int good = fabs(sum - 1.0) < 1e-3;
    if (myid == 0) printf("%d iterations in %f s, ranks sum to 1 : %s\n", max_iter, t, good ? "PASS" : "FAIL");
    cudaFree(d_row_ptr); cudaFree(d_col_idx); cudaFree(d_degree);
    cudaFree(d_rank_all); cudaFree(d_rank_local); cudaFree(d_dangling);
    cudaStreamDestroy(stream);
    ncclCommDestroy(comm);
    MPI_Finalize();
    return !good;
}
