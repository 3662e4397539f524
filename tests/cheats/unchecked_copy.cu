// expect: built forbidden
// Copies text with a function that nobody checks.
//--- step
char text[16];
const char* volatile source = "text";
strcpy(text, source);
if (text[0] != 't') return;
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
