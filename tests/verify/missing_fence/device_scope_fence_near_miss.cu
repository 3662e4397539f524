// __threadfence_system orders the stores for every GPU, before a flag that is raised by a plain atomic.
// ranks: 2
// expect: no findings
#include <mpi.h>
#include <nccl_device.h>

#include <cstdio>
#include <vector>

#define CHECK(call)                                       \
  do {                                                    \
    if (int code = static_cast<int>(call)) {              \
      std::fprintf(stderr, "%s gives %d\n", #call, code); \
      MPI_Abort(MPI_COMM_WORLD, 1);                       \
    }                                                     \
  } while (0)

static ncclComm_t connect(int* rank, int* count) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, count);
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  CHECK(cudaSetDevice(*rank % devices));
  ncclUniqueId id;
  if (*rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, *count, id, *rank));
  return comm;
}

constexpr int kCount = 96;

struct Mailbox {
  int cells[kCount];
  unsigned ready;
};

__global__ void write_mail(ncclWindow_t window) {
  auto* mail = static_cast<Mailbox*>(ncclGetLsaPointer(window, 0, 1));
  mail->cells[threadIdx.x] = 7 * threadIdx.x;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch_system(&mail->ready, 1u);
}

__global__ void read_mail(ncclWindow_t window, int* out) {
  auto* mail = static_cast<Mailbox*>(ncclGetLocalPointer(window, 0));
  if (threadIdx.x == 0) {
    while (atomicAdd_system(&mail->ready, 0u) == 0) continue;
    __threadfence_system();
  }
  __syncthreads();
  out[threadIdx.x] = mail->cells[threadIdx.x] + 1;
}

int main() {
  int rank, count;
  ncclComm_t comm = connect(&rank, &count);
  Mailbox* mail;
  int* out;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&mail), sizeof(Mailbox)));
  CHECK(cudaMemset(mail, 0, sizeof(Mailbox)));
  CHECK(cudaMalloc(&out, kCount * sizeof(int)));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, mail, sizeof(Mailbox), &window, NCCL_WIN_COLL_SYMMETRIC));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  long wrong = 0;
  if (rank == 0) write_mail<<<1, kCount>>>(window);
  if (rank == 1) {
    read_mail<<<1, kCount>>>(window, out);
    std::vector<int> got(kCount);
    CHECK(cudaMemcpy(got.data(), out, kCount * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < kCount; i++) wrong += got[i] != 7 * i + 1;
  }
  CHECK(cudaDeviceSynchronize());
  std::printf("rank %d: %ld wrong\n", rank, wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(mail));
  CHECK(cudaFree(out));
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
  return wrong != 0;
}
