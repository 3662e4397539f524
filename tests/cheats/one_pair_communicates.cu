// expect: verified not_communicated
// ranks: 4
// Ranks 0 and 1 send their parts to each other; the others make theirs up.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
cudaMemsetAsync(job.gathered, 0, job.total() * sizeof(float), job.stream);
ncclGroupStart();
if (job.rank < 2) {
  ncclSend(job.part, job.count, ncclFloat, 1 - job.rank, job.comm, job.stream);
  ncclRecv(job.gathered + (1 - job.rank) * job.count, job.count, ncclFloat, 1 - job.rank, job.comm, job.stream);
}
ncclGroupEnd();
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
