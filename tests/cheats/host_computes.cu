// expect: passed, not faster than the baseline
// Copies its input to the host, computes there, gathers by MPI and copies the result back.
// parameter count=1024
// own parent: only the price and the judge stand against it
//--- step
std::vector<float> part(job.count), all(job.total()), result(job.total());
cudaMemcpy(part.data(), job.input, job.count * sizeof(float), cudaMemcpyDeviceToHost);
for (float& value : part) value = 2.0f * value + 1.0f;
MPI_Allgather(part.data(), job.count, MPI_FLOAT, all.data(), job.count, MPI_FLOAT, MPI_COMM_WORLD);
for (int i = 0; i < job.total(); i++) result[i] = 0.5f * (all[i] + all[(i + 1) % job.total()]);
cudaMemcpy(job.result, result.data(), job.total() * sizeof(float), cudaMemcpyHostToDevice);

//--- instead of #include <cstring>
#include <vector>
