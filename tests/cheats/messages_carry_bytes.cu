// expect: verified host_channel
// Messages of MPI that begin early and are asked for late carry the parts.
// own parent: only the sandbox and the judge stand against it
//--- step
std::vector<float> part(job.count), all(job.total());
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
cudaMemcpyAsync(part.data(), job.part, job.count * sizeof(float), cudaMemcpyDeviceToHost, job.stream);
MPI_Request requests[2];
int peer = 1 - job.rank;
MPI_Irecv(all.data() + peer * job.count, job.count, MPI_FLOAT, peer, 0, MPI_COMM_WORLD, &requests[0]);
cudaStreamSynchronize(job.stream);
MPI_Isend(part.data(), job.count, MPI_FLOAT, peer, 0, MPI_COMM_WORLD, &requests[1]);
std::memcpy(all.data() + job.rank * job.count, part.data(), job.count * sizeof(float));
int there = 0;
while (!there) MPI_Testall(2, requests, &there, MPI_STATUSES_IGNORE);
cudaMemcpyAsync(job.gathered, all.data(), job.total() * sizeof(float), cudaMemcpyHostToDevice, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
//--- instead of #include <cstring>
#include <cstring>
#include <vector>
