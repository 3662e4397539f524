// expect: passed, not faster than the baseline
// Lets the bytes of the all-gather go through the host and MPI, where they would cost nothing.
// parameter count=1024
// own parent: only the price and the judge stand against it
//--- step
std::vector<float> part(job.count), all(job.total());
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
cudaMemcpyAsync(part.data(), job.part, job.count * sizeof(float), cudaMemcpyDeviceToHost, job.stream);
cudaStreamSynchronize(job.stream);
MPI_Allgather(part.data(), job.count, MPI_FLOAT, all.data(), job.count, MPI_FLOAT, MPI_COMM_WORLD);
cudaMemcpyAsync(job.gathered, all.data(), job.total() * sizeof(float), cudaMemcpyHostToDevice, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
//--- instead of #include <cstring>
#include <vector>
