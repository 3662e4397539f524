// expect: passed
// The collective as its messages.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclGroupStart();
for (int peer = 0; peer < job.rank_count; peer++) {
  ncclSend(job.part, job.count, ncclFloat, peer, job.comm, job.stream);
  ncclRecv(job.gathered + peer * job.count, job.count, ncclFloat, peer, job.comm, job.stream);
}
ncclGroupEnd();
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
