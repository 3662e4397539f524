// expect: passed
// Prints colours and letters of other languages, which is nobody's business.
//--- step
std::printf("\033[31mgr\xc3\xbc\xc3\x9f\033[0m\n");
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
