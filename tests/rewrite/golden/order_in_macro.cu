// The loop over peers comes out of a macro, so its text is not the program's to change.
// plan: s1 lsa/deferred/barrier/cta/whole
// plan: s2 lsa/deferred/barrier/cta/whole
// plan: schedule order=remote-first
// expect-not: cuco::comm::ranks_in_order<
// expect-note: keeps its order: it comes out of a macro
#include "../support.h"

#define FOR_EACH_RANK(name, count) for (int name = 0; name < count; name++)

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float *sent, *received;
  size_t bytes = 64 * self.count * sizeof(float);
  CHECK(cudaMalloc(&sent, bytes));
  CHECK(cudaMalloc(&received, bytes));
  CHECK(cudaMemsetAsync(sent, self.rank, bytes, stream));
  CHECK(ncclGroupStart());
  FOR_EACH_RANK(peer, self.count) {
    CHECK(ncclSend(sent + peer * 64, 64, ncclFloat, peer, comm, stream));
    CHECK(ncclRecv(received + peer * 64, 64, ncclFloat, peer, comm, stream));
  }
  CHECK(ncclGroupEnd());
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("received", self.rank, received, 64 * self.count);
  for (float* buffer : {sent, received}) CHECK(cudaFree(buffer));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
