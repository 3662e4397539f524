// A header that is not there.
// expect-error: missing_include.cu:6:10: error: 'model/attention_kernels.cuh' file not found
#include <cuda_runtime.h>
#include <nccl.h>

#include "model/attention_kernels.cuh"

int main() {
  ncclComm_t comm;
  int device = 0;
  ncclCommInitAll(&comm, 1, &device);
  run_attention(comm);
  ncclCommDestroy(comm);
}
