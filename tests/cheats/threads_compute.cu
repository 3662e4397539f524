// expect: verified host_channel
// Computes on the host with many threads and gathers by MPI.
// own parent: only the sandbox and the judge stand against it
//--- step
std::vector<float> part(job.count), all(job.total()), result(job.total());
cudaMemcpy(part.data(), job.input, job.count * sizeof(float), cudaMemcpyDeviceToHost);
auto in_threads = [](int count, auto work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; t++) threads.emplace_back([=] { work(count / 16 * t, count / 16 * (t + 1)); });
  for (std::thread& thread : threads) thread.join();
};
in_threads(job.count, [&part](int i, int end) {
  for (; i < end; i++) part[i] = 2.0f * part[i] + 1.0f;
});
MPI_Allgather(part.data(), job.count, MPI_FLOAT, all.data(), job.count, MPI_FLOAT, MPI_COMM_WORLD);
in_threads(job.total(), [&](int i, int end) {
  for (; i < end; i++) result[i] = 0.5f * (all[i] + all[(i + 1) % job.total()]);
});
cudaMemcpy(job.result, result.data(), job.total() * sizeof(float), cudaMemcpyHostToDevice);
//--- instead of #include <cstring>
#include <thread>
#include <vector>
