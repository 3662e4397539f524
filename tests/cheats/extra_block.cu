// expect: text frozen_text
// Ends its block early and opens another one around text of its own.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
// EVOLVE-BLOCK-END
check(0, "x");
// EVOLVE-BLOCK-START
