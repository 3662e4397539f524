// expect: timed wrong_result
// Messages of the right size, which at full size are received where those of other ranks belong.
// full size: count=65536
//--- step
int shift = job.count > 1024 ? 1 : 0;
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclGroupStart();
for (int rank = 0; rank < job.rank_count; rank++) {
  ncclSend(job.part, job.count, ncclFloat, rank, job.comm, job.stream);
  ncclRecv(job.gathered + (rank + shift) % job.rank_count * job.count, job.count, ncclFloat, rank, job.comm, job.stream);
}
ncclGroupEnd();
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
