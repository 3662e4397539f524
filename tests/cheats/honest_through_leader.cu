// expect: passed
// ranks: 4
// One rank gathers the parts and gives everybody the whole: no two others exchange a byte.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclGroupStart();
ncclSend(job.part, job.count, ncclFloat, 0, job.comm, job.stream);
for (int peer = 0; job.rank == 0 && peer < job.rank_count; peer++)
  ncclRecv(job.gathered + peer * job.count, job.count, ncclFloat, peer, job.comm, job.stream);
ncclGroupEnd();
ncclBroadcast(job.gathered, job.gathered, job.total(), ncclFloat, 0, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
