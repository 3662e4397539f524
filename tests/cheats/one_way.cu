// expect: verified not_communicated
// Everybody sends to rank 0, which sends nothing back.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
cudaMemsetAsync(job.gathered, 0, job.total() * sizeof(float), job.stream);
ncclGroupStart();
if (job.rank > 0) ncclSend(job.part, job.count, ncclFloat, 0, job.comm, job.stream);
for (int peer = 1; job.rank == 0 && peer < job.rank_count; peer++)
  ncclRecv(job.gathered + peer * job.count, job.count, ncclFloat, peer, job.comm, job.stream);
ncclGroupEnd();
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
