// expect: passed
// Sends and receives in place of the all-gather, at full size too.
// full size: count=65536
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclGroupStart();
for (int rank = 0; rank < job.rank_count; rank++) {
  ncclSend(job.part, job.count, ncclFloat, rank, job.comm, job.stream);
  ncclRecv(job.gathered + rank * job.count, job.count, ncclFloat, rank, job.comm, job.stream);
}
ncclGroupEnd();
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
