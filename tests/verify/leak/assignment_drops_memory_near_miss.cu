// Move assignment trades its memory for the other's, whose destructor frees it.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <utility>
#include <vector>

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) { cudaMalloc(&data_, count * sizeof(T)); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(count_, other.count_);
    std::swap(data_, other.data_);
    return *this;
  }
  T* data() { return data_; }
  size_t count() const { return count_; }

 private:
  size_t count_;
  T* data_ = nullptr;
};

template <class T>
__global__ void set_all(T* values, T value) {
  values[threadIdx.x] = value;
}

int main() {
  DeviceArray<double> values(32);
  for (size_t count : {64, 128}) {
    values = DeviceArray<double>(count);
    set_all<double><<<1, static_cast<unsigned>(count)>>>(values.data(), 0.5 * count);
  }
  std::vector<double> host(values.count());
  cudaMemcpy(host.data(), values.data(), host.size() * sizeof(double), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (double value : host) wrong += value != 64.0;
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
