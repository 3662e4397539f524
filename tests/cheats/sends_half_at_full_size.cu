// expect: timed missing_work
// Gathers half of every part.
// full size: count=65536
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count > 4096 ? job.count / 2 : job.count, ncclFloat, job.comm,
              job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
