// stranger: several communicators per GPU in a vector: each slice of the data goes over its own communicator and stream
// ranks: 2
// arguments: 3 300
// expect-output: channels: 3, errors: 0
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
using namespace std;

#define gpuErrchk(ans) gpuAssert((ans), #ans, __LINE__)
static void gpuAssert(cudaError_t code, const char *what, int line) {
    if (code != cudaSuccess) { fprintf(stderr, "%s @%d: %s\n", what, line, cudaGetErrorName(code)); exit(1); }
}
static void gpuAssert(ncclResult_t code, const char *what, int line) {
    if (code != ncclSuccess) { fprintf(stderr, "%s @%d: %s\n", what, line, ncclGetErrorString(code)); exit(1); }
}

struct Channel {
    ncclComm_t comm;
    cudaStream_t stream;
    cudaEvent_t done;
    size_t offset, count;
};

__global__ void produce(double *data, size_t count, int rank) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < count) data[i] = (double)(i + 1) * (rank + 1);
}

__global__ void consume(double *data, size_t count) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < count) data[i] -= 1.0;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, nch = 4;
    size_t n = 1 << 24;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1) nch = atoi(argv[1]);
    if (argc > 2) n = atol(argv[2]);
    gpuErrchk(cudaSetDevice(rank));

    vector<Channel> channels(nch);
    vector<ncclUniqueId> ids(nch);
    if (rank == 0)
        for (auto &id : ids) gpuErrchk(ncclGetUniqueId(&id));
    MPI_Bcast(ids.data(), (int)(nch * sizeof(ncclUniqueId)), MPI_BYTE, 0, MPI_COMM_WORLD);
    size_t slice = n / nch;
    for (int c = 0; c < nch; c++) {
        Channel &ch = channels[c];
        gpuErrchk(ncclCommInitRank(&ch.comm, size, ids[c], rank));
        gpuErrchk(cudaStreamCreate(&ch.stream));
        gpuErrchk(cudaEventCreateWithFlags(&ch.done, cudaEventDisableTiming));
        ch.offset = c * slice;
        ch.count = c == nch - 1 ? n - ch.offset : slice;
    }

    double *data;
    gpuErrchk(cudaMalloc(&data, n * sizeof(double)));
    cudaEvent_t start, stop;
    gpuErrchk(cudaEventCreate(&start));
    gpuErrchk(cudaEventCreate(&stop));
    gpuErrchk(cudaEventRecord(start, channels[0].stream));
    for (Channel &ch : channels) {
        gpuErrchk(cudaStreamWaitEvent(ch.stream, start, 0));
        produce<<<(ch.count + 63) / 64, 64, 0, ch.stream>>>(data + ch.offset, ch.count, rank);
        gpuErrchk(ncclAllReduce(data + ch.offset, data + ch.offset, ch.count, ncclDouble, ncclSum, ch.comm, ch.stream));
        consume<<<(ch.count + 63) / 64, 64, 0, ch.stream>>>(data + ch.offset, ch.count);
        gpuErrchk(cudaEventRecord(ch.done, ch.stream));
        gpuErrchk(cudaStreamWaitEvent(channels[0].stream, ch.done, 0));
    }
    gpuErrchk(cudaEventRecord(stop, channels[0].stream));
    gpuErrchk(cudaEventSynchronize(stop));

    vector<double> host(n);
    gpuErrchk(cudaMemcpy(host.data(), data, n * sizeof(double), cudaMemcpyDeviceToHost));
    int errors = 0;
    for (Channel &ch : channels)
        for (size_t i = 0; i < ch.count; i++) errors += host[ch.offset + i] != (double)(i + 1) * (size * (size + 1) / 2) - 1.0;
    if (rank == 0) printf("channels: %d, errors: %d\n", nch, errors);
    for (Channel &ch : channels) {
        cudaEventDestroy(ch.done);
        cudaStreamDestroy(ch.stream);
        ncclCommDestroy(ch.comm);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFree(data);
    MPI_Finalize();
    return errors != 0;
}
