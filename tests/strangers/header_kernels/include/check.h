#ifndef CHECK_H_
#define CHECK_H_
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

static inline const char* error_text(cudaError_t e) { return cudaGetErrorString(e); }
static inline const char* error_text(ncclResult_t e) { return ncclGetErrorString(e); }
static inline const char* error_text(int) { return "MPI error"; }

#define CK(call)                                                                           \
  do {                                                                                     \
    auto ck_status = (call);                                                               \
    if (ck_status != decltype(ck_status)(0)) {                                             \
      fprintf(stderr, "%s:%d %s: %s\n", __FILE__, __LINE__, #call, error_text(ck_status)); \
      exit(1);                                                                             \
    }                                                                                      \
  } while (0)

#endif
