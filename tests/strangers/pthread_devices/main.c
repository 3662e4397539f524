// stranger: a pthread per GPU in C, arguments and results in a struct per thread, kernels in a .cu file
// files: main.c work.cu
// flags: -I.
// ranks: 4
// arguments: 512
// expect-output: 4 threads: PASS
// convert: lsa
// share: all
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "work.h"

#define CHECK(call) do { int status = (int)(call); if (status != 0) { \
    fprintf(stderr, "%s:%d: %s = %d\n", __FILE__, __LINE__, #call, status); exit(1); } } while (0)

struct job {
    pthread_t thread;
    ncclUniqueId id;
    int rank, total, count;
    int passed;
    double milliseconds;
};

static pthread_barrier_t ready;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static void *work(void *argument)
{
    struct job *job = argument;
    size_t bytes = sizeof(int) * job->count;
    int *mine, *everyone, *host;
    cudaStream_t stream;
    ncclComm_t comm;

    CHECK(cudaSetDevice(job->rank));
    CHECK(ncclCommInitRank(&comm, job->total, job->id, job->rank));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&mine, bytes));
    CHECK(cudaMalloc((void **)&everyone, bytes * job->total));
    host = malloc(bytes * job->total);

    pthread_barrier_wait(&ready);
    double begin = now();
    launch_number(mine, job->count, job->rank, stream);
    CHECK(ncclAllGather(mine, everyone, job->count, ncclInt, comm, stream));
    launch_double(everyone, job->count * job->total, stream);
    CHECK(cudaStreamSynchronize(stream));
    job->milliseconds = now() - begin;

    CHECK(cudaMemcpy(host, everyone, bytes * job->total, cudaMemcpyDeviceToHost));
    job->passed = 1;
    for (int i = 0; i < job->count * job->total; i++)
        if (host[i] != 2 * (i / job->count * 1000 + i % job->count))
            job->passed = 0;
    free(host);
    CHECK(cudaFree(mine));
    CHECK(cudaFree(everyone));
    CHECK(cudaStreamDestroy(stream));
    CHECK(ncclCommDestroy(comm));
    return NULL;
}

int main(int argc, char **argv)
{
    int devices, count = argc > 1 ? atoi(argv[1]) : 1 << 20, passed = 0;
    CHECK(cudaGetDeviceCount(&devices));
    struct job *jobs = calloc(devices, sizeof *jobs);
    ncclUniqueId id;
    CHECK(ncclGetUniqueId(&id));
    CHECK(pthread_barrier_init(&ready, NULL, devices));
    for (int i = 0; i < devices; i++) {
        jobs[i] = (struct job){.id = id, .rank = i, .total = devices, .count = count};
        CHECK(pthread_create(&jobs[i].thread, NULL, work, &jobs[i]));
    }
    for (int i = 0; i < devices; i++) {
        CHECK(pthread_join(jobs[i].thread, NULL));
        passed += jobs[i].passed;
    }
    printf("%d threads: %s\n", devices, passed == devices ? "PASS" : "FAIL");
    pthread_barrier_destroy(&ready);
    free(jobs);
    return passed == devices ? 0 : 1;
}
