// The table's owner ends with the function that fills it; the kernel then reads freed memory.
// ranks: 1
// expect-finding: memory_access
#include <cstdio>
#include <utility>
#include <vector>

class DeviceTable {
 public:
  explicit DeviceTable(int count) { cudaMalloc(&data_, count * sizeof(float)); }
  DeviceTable(DeviceTable&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  ~DeviceTable() { cudaFree(data_); }  // FAULT
  float* data() { return data_; }

 private:
  float* data_ = nullptr;
};

float* make_squares(int count) {
  DeviceTable table(count);
  std::vector<float> host(count);
  for (int i = 0; i < count; i++) host[i] = static_cast<float>(i * i);
  cudaMemcpy(table.data(), host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  return table.data();
}

__global__ void look_up(const float* table, const int* keys, float* out) {
  out[threadIdx.x] = table[keys[threadIdx.x]];  // FAULT
}

int main() {
  const int entries = 300, queries = 64;
  std::vector<int> host_keys(queries);
  for (int i = 0; i < queries; i++) host_keys[i] = i * 4 + 1;
  int* keys;
  float* out;
  cudaMalloc(&keys, queries * sizeof(int));
  cudaMalloc(&out, queries * sizeof(float));
  cudaMemcpy(keys, host_keys.data(), queries * sizeof(int), cudaMemcpyHostToDevice);
  float* table = make_squares(entries);
  look_up<<<1, queries>>>(table, keys, out);  // FAULT
  std::vector<float> got(queries);
  cudaMemcpy(got.data(), out, queries * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < queries; i++) wrong += got[i] != static_cast<float>(host_keys[i] * host_keys[i]);
  std::printf("%d wrong\n", wrong);
  cudaFree(out);
  cudaFree(keys);
  return wrong != 0;
}
