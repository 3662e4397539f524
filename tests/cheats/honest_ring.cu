// expect: passed
// ranks: 4
// Parts go round: a rank passes on what came from the rank before it.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
cudaMemcpyAsync(job.gathered + job.rank * job.count, job.part, job.count * sizeof(float), cudaMemcpyDeviceToDevice,
                job.stream);
int next = (job.rank + 1) % job.rank_count, before = (job.rank + job.rank_count - 1) % job.rank_count;
for (int hop = 0; hop + 1 < job.rank_count; hop++) {
  int sent = (job.rank + job.rank_count - hop) % job.rank_count;
  int received = (before + job.rank_count - hop) % job.rank_count;
  ncclGroupStart();
  ncclSend(job.gathered + sent * job.count, job.count, ncclFloat, next, job.comm, job.stream);
  ncclRecv(job.gathered + received * job.count, job.count, ncclFloat, before, job.comm, job.stream);
  ncclGroupEnd();
}
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
